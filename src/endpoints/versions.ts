/** Which definition answers: today's, or the one a caller names by its number. Old definitions never change, so they are kept. */
import { Fault } from '../base/faults.ts'
import type { Definition, Endpoint } from '../model/endpoint.ts'

/** A definition with its number. */
export type Numbered = Definition & { version: number }

export type Versions = { pick(endpoint: Endpoint, version: number | null): Promise<Numbered> }

const KEPT = 1_000

export function createVersions({
  endpoints,
}: {
  endpoints: { version(endpointId: number, version: number): Promise<Numbered | null> }
}): Versions {
  const known = new Map<string, Numbered>()
  return {
    async pick(endpoint, version) {
      if (version === null || version === endpoint.version) return endpoint
      const key = `${endpoint.id} ${version}`
      const definition = known.get(key) ?? (await endpoints.version(endpoint.id, version))
      if (!definition) throw new Fault('not_found', 'version not found')
      if (known.size >= KEPT) known.clear()
      known.set(key, definition)
      return definition
    },
  }
}

/** The number in a version header. */
export function readVersion(header: string | undefined): number | null {
  if (header === undefined) return null
  if (!/^[1-9]\d{0,8}$/.test(header.trim()))
    throw new Fault('bad_request', `The version of an endpoint is a whole number from 1, not "${header.slice(0, 40)}".`)
  return Number(header)
}
