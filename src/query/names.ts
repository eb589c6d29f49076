/**
 * What names mean in the queries of an account: its sources, and the queries it has published (endpoints, alerts).
 * Kept in memory until the catalog says that something changed; where other nodes share it, also for a few seconds only.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Changes } from '../catalog/changes.ts'
import { bindSources, parse, type Query } from '../sql/sql.ts'

/** A query that others can use as a table by its name. */
export type Published = { name: string; token: string; query: string; source_mapping: Record<string, string> }

export type AccountNames = {
  /** Another text whenever a name may mean something else. */
  readonly mark: string
  readonly hasPublished: boolean
  sourceToken(name: string): string | undefined
  hasSource(token: string): boolean
  sourceName(token: string): string | undefined
  /** 0 for a source that is none of the account's. */
  retentionDays(token: string): number
  /** The backend in which it lives; null: the embedded warehouse. */
  homeId(token: string): number | null
  published(name: string): Published | undefined
  /** The tree of a published query, its names of sources tied to the sources they meant when it was saved. */
  tree(of: Pick<Published, 'query' | 'source_mapping'>): Query
}

export type Names = {
  /** Synchronous when known. */
  of(accountId: number): AccountNames | Promise<AccountNames>
  stop(): void
}

type NamedSource = { name: string; token: string; retention_days: number; home_id: number | null }

type Parts = {
  sources: { list(accountId: number): Promise<NamedSource[]> }
  /** Where a name is in several lists, the first one counts. */
  published: { list(accountId: number): Promise<Published[]> }[]
  changes: Changes
  clock: Clock
  /** Whether other processes change the same catalog. */
  isShared: boolean
}

const OTHER_NODES_LIFE_MS = 5_000

export function createNames({ sources, published, changes, clock, isShared }: Parts): Names {
  let known = new Map<number, { names: AccountNames; untilMs: number }>()
  let reading = new Map<number, Promise<AccountNames>>()
  let round = 0

  const stop = changes.listen(({ noun }) => {
    if (['token', 'key-values', 'session', 'user', 'fields'].includes(noun)) return
    round += 1
    known = new Map()
    reading = new Map()
  })

  async function read(accountId: number, asked: number): Promise<AccountNames> {
    const untilMs = isShared ? clock.nowMs() + OTHER_NODES_LIFE_MS : Number.POSITIVE_INFINITY
    const [own, ...lists] = await Promise.all([
      sources.list(accountId),
      ...published.map((each) => each.list(accountId)),
    ])
    const names = accountNames(accountId, own, lists.flat())
    // What was read before a change may be old: it is used, but not kept.
    if (asked === round) {
      known.set(accountId, { names, untilMs })
      reading.delete(accountId)
    }
    return names
  }

  return {
    of(accountId) {
      const kept = known.get(accountId)
      if (kept && clock.nowMs() < kept.untilMs) return kept.names
      const underWay = reading.get(accountId)
      if (underWay) return underWay
      const mine = read(accountId, round)
      reading.set(accountId, mine)
      mine.catch(() => reading.delete(accountId))
      return mine
    },
    stop,
  }
}

function accountNames(accountId: number, sources: NamedSource[], published: Published[]): AccountNames {
  const tokens = new Map(sources.map(({ name, token }) => [name, token]))
  const known = new Map(sources.map((source) => [source.token, source]))
  const byName = new Map<string, Published>()
  for (const each of published) if (!byName.has(each.name)) byName.set(each.name, each)
  const trees = new WeakMap<object, Query>()

  const names: AccountNames = {
    mark: markOf(accountId, [...sources, ...published]),
    hasPublished: byName.size > 0,
    sourceToken: (name) => tokens.get(name),
    hasSource: (token) => known.has(token),
    sourceName: (token) => known.get(token)?.name,
    retentionDays: (token) => known.get(token)?.retention_days ?? 0,
    homeId: (token) => known.get(token)?.home_id ?? null,
    published: (name) => byName.get(name),
    tree(of) {
      const made = trees.get(of)
      if (made) return made
      const tree = bindSources(parse(of.query), (name) => {
        const token = Object.hasOwn(of.source_mapping, name) ? of.source_mapping[name] : undefined
        return token !== undefined && known.has(token) ? token : undefined
      })
      trees.set(of, tree)
      return tree
    },
  }
  return names
}

/** Equal lists give equal marks, so that what was made from them can be used again after they were read anew. */
function markOf(accountId: number, all: (Pick<Published, 'name' | 'token'> & Partial<Published>)[]): string {
  const hash = createHash('sha256')
  for (const { name, token, query, source_mapping } of all)
    hash.update(JSON.stringify([name, token, query, source_mapping]))
  return `${accountId} ${hash.digest('base64url')}`
}
