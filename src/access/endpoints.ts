import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Endpoint } from '../model/endpoint.ts'
import { createMemory } from './memory.ts'

const ENDPOINTS_KEPT = 10_000
const NAME_LENGTH_MAX = 255

export type EndpointLookup = {
  /** Of any account; synchronous when known. */
  byToken(token: string): Endpoint | null | Promise<Endpoint | null>
  byName(accountId: number, name: string): Endpoint | null | Promise<Endpoint | null>
  stop(): void
}

/** The endpoints that requests name, from memory. */
export function createEndpointLookup(parts: { catalog: Catalog; clock: Clock; lifeMs: number }): EndpointLookup {
  const { catalog, clock, lifeMs } = parts
  const shared = { lifeMs, limit: ENDPOINTS_KEPT, clock }
  const byToken = createMemory({ ...shared, load: (token) => catalog.endpoints.byToken(token) })
  /** Keys are `account id` + space + name. */
  const byName = createMemory({
    ...shared,
    load(key) {
      const space = key.indexOf(' ')
      return catalog.endpoints.byName(Number(key.slice(0, space)), key.slice(space + 1))
    },
  })
  const stop = catalog.changes.listen(({ noun }) => {
    if (noun !== 'endpoint' && noun !== 'account') return
    byToken.clear()
    byName.clear()
  })
  return {
    byToken: (token) => byToken.get(token.toLowerCase()),
    byName: (accountId, name) =>
      name.length > NAME_LENGTH_MAX || name.includes('\0') ? null : byName.get(`${accountId} ${name}`),
    stop,
  }
}
