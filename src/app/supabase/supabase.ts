/**
 * Drop-in mode: this service in the place of the `analytics` container of a self-hosted Supabase.
 *
 * Promises: before the first request is taken, the sources its senders write to and the endpoints its dashboard asks
 * are there. What exists is left as it is, so every start may do it again, and so may several nodes at once.
 * Refuses nothing: what cannot be used of the container's environment is named in the log.
 */
import { InvalidRecord } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { CheckQuery } from '../../catalog/endpoints.ts'
import type { Account } from '../../model/account.ts'
import type { FlatFields } from '../../model/fields.ts'
import { ENDPOINTS } from './endpoints.ts'
import { SOURCES } from './sources.ts'

/** Makes the sources that are missing. Answers the fields that each should have, by token. */
export async function seedSources(
  catalog: Pick<Catalog, 'sources'>,
  account: Account,
): Promise<Map<string, FlatFields>> {
  const present = new Set((await catalog.sources.list(account.id)).map(({ name }) => name))
  for (const name of Object.keys(SOURCES))
    if (!present.has(name)) await unlessTaken(catalog.sources.create(account, { name }))
  const all = await catalog.sources.list(account.id)
  return new Map(all.flatMap(({ name, token }) => (SOURCES[name] ? [[token, SOURCES[name]] as const] : [])))
}

export async function seedEndpoints(
  catalog: Pick<Catalog, 'endpoints'>,
  account: Account,
  check: CheckQuery,
): Promise<void> {
  const present = new Set((await catalog.endpoints.list(account.id)).map(({ name }) => name))
  for (const endpoint of ENDPOINTS)
    if (!present.has(endpoint.name))
      await unlessTaken(catalog.endpoints.create(account.id, 'drop-in mode', endpoint, check))
}

/** Another node that starts at the same moment was quicker. */
async function unlessTaken(made: Promise<unknown>): Promise<void> {
  try {
    await made
  } catch (error) {
    if (!(error instanceof InvalidRecord) || error.errors.name === undefined) throw error
  }
}
