/** What the service tells of itself: counts of ingest, metrics, health. */
import type { Delivery } from '../backends/delivery/delivery.ts'
import type { Metrics } from '../base/metrics.ts'
import type { AcceptParts } from '../ingest/accept.ts'
import type { Rates } from '../ingest/rates.ts'
import type { Schemas } from '../ingest/schema/schemas.ts'
import type { Journal } from '../journal/journal.ts'
import type { Tail } from '../tail/tail.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'

export type Counts = AcceptParts['counters'] & { rejected(token: string): number }

export function createCounts(metrics: Metrics): Counts {
  const rejected = new Map<string, number>()
  const accepted = metrics.counter('millrace_events_accepted_total', 'Events that were sent and stored')
  const copied = metrics.counter('millrace_events_copied_total', 'Copies of events that rules made')
  const dropped = metrics.counter(
    'millrace_events_dropped_total',
    'Events and copies that a drop filter, or the retention of a target, kept out',
  )
  const refused = metrics.counter('millrace_events_rejected_total', 'Events that were refused')
  const unfit = metrics.counter(
    'millrace_values_unfit_total',
    'Values that did not fit their field and were kept in _unfit',
  )
  const bytes = metrics.counter('millrace_journal_row_bytes_total', 'Bytes of rows written to the journal')
  return {
    count(source, counts) {
      accepted.value += counts.accepted
      copied.value += counts.copied
      dropped.value += counts.dropped
      refused.value += counts.refused
      unfit.value += counts.unfit
      bytes.value += counts.bytes
      if (counts.refused > 0) rejected.set(source.token, (rejected.get(source.token) ?? 0) + counts.refused)
    },
    rejected: (token) => rejected.get(token) ?? 0,
  }
}

export function sourceMetrics(
  token: string,
  parts: { rates: Rates; schemas: Schemas; warehouse: Warehouse; counts: Counts },
): { rate: number; avg: number; max: number; total: number; rejected: number; fields: number; bytes: number } {
  const rate = parts.rates.of(token)
  const stats = parts.warehouse.stats(token)
  return {
    rate: rate.current(),
    avg: Math.round(rate.average() * 100) / 100,
    max: rate.max(),
    total: stats.rows + stats.freshRows,
    rejected: parts.counts.rejected(token),
    fields: parts.schemas.of(token).count,
    bytes: stats.bytes,
  }
}

export function watch(
  metrics: Metrics,
  {
    journal,
    warehouse,
    tail,
    cache,
    delivery,
    state,
  }: {
    journal: Journal
    warehouse: Warehouse
    tail: Tail
    cache: { readonly bytes: number }
    delivery: Pick<Delivery, 'health'>
    state(): string
  },
): void {
  const homes = () => delivery.health().homes
  metrics.gauge('millrace_homes_lag_events', 'Events on their way to the homes of sources', () => homes().lagEvents)
  metrics.gauge('millrace_homes_lag_seconds', 'Since when a home does not have everything', () => homes().lagSeconds)
  metrics.gauge('millrace_homes_held_bytes', 'Journal kept for a home that is behind', () => homes().heldBytes)
  metrics.gauge('millrace_endpoint_cache_bytes', 'Kept answers of endpoints', () => cache.bytes)
  metrics.gauge('millrace_ready', 'Whether requests are welcome', () => (state() === 'ready' ? 1 : 0))
  metrics.gauge('millrace_journal_end_bytes', 'Everything before this journal position is durable', () => journal.end)
  metrics.gauge('millrace_journal_pending_bytes', 'Bytes accepted and not yet durable', () => journal.pendingBytes)
  metrics.gauge(
    'millrace_warehouse_unloaded_bytes',
    'Journal bytes not yet in parts',
    () => warehouse.health().unloadedBytes,
  )
  metrics.total(
    'millrace_engine_restarts_total',
    'Times the query engine had to be started again',
    () => warehouse.health().restarts,
  )
  metrics.gauge(
    'millrace_damaged_parts',
    'Parts that could not be read and were set aside',
    () => warehouse.health().damaged.length,
  )
  metrics.gauge(
    'millrace_partial_results_bytes',
    'Results per part that are kept for queries asked again',
    () => warehouse.health().partials.bytes,
  )
  metrics.gauge(
    'millrace_partial_results_answers',
    'Answers that were put together from kept results since the engine started',
    () => warehouse.health().partials.answers,
  )
  metrics.gauge(
    'millrace_partial_results_failures',
    'Queries that failed with kept results and were answered without',
    () => warehouse.health().partials.failures,
  )
  metrics.gauge('millrace_tail_readers', 'Open streams of live tail', () => tail.readers)
  metrics.gauge('millrace_resident_memory_bytes', 'Memory of the front process', () => process.memoryUsage.rss())
}

export function watchNodes(metrics: Metrics, counts: () => { live: number; unreachable: number }): void {
  metrics.gauge('millrace_nodes_live', 'Nodes that share the metadata and were seen lately', () => counts().live)
  metrics.gauge(
    'millrace_nodes_unreachable',
    'Nodes that were seen lately and cannot be reached from this one',
    () => counts().unreachable,
  )
}

export function healthDetails({
  journal,
  warehouse,
  delivery,
}: {
  journal: Journal
  warehouse: Warehouse
  delivery: Pick<Delivery, 'health'>
}): Record<string, unknown> {
  const { lagEvents, lagSeconds, homes, ...states } = delivery.health()
  const { isReady, restarts, unloadedBytes, damaged, lastError } = warehouse.health()
  return {
    journal: { end: journal.end, pending_bytes: journal.pendingBytes, ...journal.recovery },
    warehouse: { ready: isReady, restarts, unloaded_bytes: unloadedBytes, damaged, last_error: lastError },
    backends: { ...states, lag_events: lagEvents, lag_seconds: lagSeconds },
    homes: {
      ...{ sources: homes.sources, lag_events: homes.lagEvents, lag_seconds: homes.lagSeconds },
      ...{ held_bytes: homes.heldBytes, last_error: homes.lastError },
    },
  }
}
