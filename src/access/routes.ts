/**
 * The routing rules of sources with their targets, in memory: read once, and again when a rule or a source changed.
 * Where several nodes share the catalog, also after a few seconds.
 */
import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Source } from '../model/source.ts'
import { createMemory } from './memory.ts'

export type RoutingRule = { lql: string; target: Source }

export type RouteMemory = {
  /** Synchronous when known; the same list as long as nothing changed. */
  of(source: { account_id: number; token: string }): readonly RoutingRule[] | Promise<readonly RoutingRule[]>
  stop(): void
}

const OTHER_NODES_LIFE_MS = 5_000
const SOURCES_KEPT = 20_000

type Parts = { catalog: Catalog; clock: Clock; isShared?: boolean }

export function createRouteMemory({ catalog, clock, isShared = catalog.engine === 'postgres' }: Parts): RouteMemory {
  const lifeMs = isShared ? OTHER_NODES_LIFE_MS : Number.POSITIVE_INFINITY

  async function load(key: string): Promise<readonly RoutingRule[]> {
    const [accountId, token] = key.split(' ')
    const rules: RoutingRule[] = []
    const targets = new Map<string, Source | null>()
    for (const { lql_string, sink } of await catalog.rules.ofSource(Number(accountId), token!)) {
      if (sink === null) continue
      const target = targets.get(sink) ?? (await catalog.sources.byToken(Number(accountId), sink))
      targets.set(sink, target)
      if (target) rules.push({ lql: lql_string, target })
    }
    return rules
  }

  const memory = createMemory({ load, lifeMs, limit: SOURCES_KEPT, clock })
  const stop = catalog.changes.listen(({ noun }) => {
    if (noun === 'rule' || noun === 'source' || noun === 'account') memory.clear()
  })
  const none: readonly RoutingRule[] = []
  return {
    of({ account_id, token }) {
      const rules = memory.get(`${account_id} ${token}`)
      return rules instanceof Promise ? rules.then((found) => found ?? none) : (rules ?? none)
    },
    stop,
  }
}
