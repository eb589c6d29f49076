import type { TimeBounds } from '../../lql/lql.ts'
import type { Source } from '../../model/source.ts'
import type { Range } from './answers.ts'

const DAY_US = 86_400_000_000

export const keptFromUs = ({ retention_days }: Source, nowMs: number): number => nowMs * 1000 - retention_days * DAY_US

/** The last microsecond of this moment: events are stamped more finely than the clock is read here. */
const MOMENT_US = 999

/** The time that was searched: it starts with the retention at the earliest, and an open end is now. */
export function reachOf(source: Source, { fromUs, toUs }: TimeBounds, nowMs: number): Range {
  const floor = keptFromUs(source, nowMs)
  return [Math.max(fromUs ?? floor, floor), Math.min(toUs ?? nowMs * 1000 + MOMENT_US, Number.MAX_SAFE_INTEGER)]
}

export function tooOld(source: Source, { toUs }: TimeBounds, nowMs: number): string[] {
  if (toUs === null || toUs >= keptFromUs(source, nowMs)) return []
  return [`This source keeps events for ${source.retention_days} days; the whole time range is older.`]
}
