import type { Clock } from '../base/clock.ts'
import { isUuid } from '../base/ids.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Source } from '../model/source.ts'
import { createMemory } from './memory.ts'

const SOURCES_KEPT = 20_000
const NAME_LENGTH_MAX = 255

export type SourceLookup = {
  /** By the account's own source token; synchronous when known. Null: no such source in this account. */
  byToken(accountId: number, token: string): Source | null | Promise<Source | null>
  byName(accountId: number, name: string): Source | null | Promise<Source | null>
  stop(): void
}

/** The sources the hot path asks for, from memory. A name is unique in its account, so it never means two sources. */
export function createSourceLookup(parts: { catalog: Catalog; clock: Clock; lifeMs: number }): SourceLookup {
  const { catalog, clock, lifeMs } = parts
  /** Keys are `account id` + space + token or name. */
  const split = (key: string): [number, string] => {
    const space = key.indexOf(' ')
    return [Number(key.slice(0, space)), key.slice(space + 1)]
  }
  const shared = { lifeMs, limit: SOURCES_KEPT, clock }
  const byToken = createMemory({ ...shared, load: (key) => catalog.sources.byToken(...split(key)) })
  const byName = createMemory({ ...shared, load: (key) => catalog.sources.byName(...split(key)) })
  const stop = catalog.changes.listen(({ noun }) => {
    if (noun !== 'source' && noun !== 'account') return
    byToken.clear()
    byName.clear()
  })
  return {
    byToken: (accountId, token) => (isUuid(token) ? byToken.get(`${accountId} ${token}`) : null),
    byName: (accountId, name) =>
      name.length > NAME_LENGTH_MAX || name.includes('\0') ? null : byName.get(`${accountId} ${name}`),
    stop,
  }
}
