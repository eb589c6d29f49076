import type { TimeBounds } from '../../lql/lql.ts'
import type { Source } from '../../model/source.ts'
import type { Range } from './answers.ts'

const DAY_US = 86_400_000_000

export const keptFromUs = ({ retention_days }: Source, nowMs: number): number => nowMs * 1000 - retention_days * DAY_US

/** The time that was searched: an open start is the end of the retention, an open end is now. */
export function reachOf(source: Source, { fromUs, toUs }: TimeBounds, nowMs: number): Range {
  return [fromUs ?? keptFromUs(source, nowMs), toUs ?? nowMs * 1000]
}

export function tooOld(source: Source, { toUs }: TimeBounds, nowMs: number): string[] {
  if (toUs === null || toUs >= keptFromUs(source, nowMs)) return []
  return [`This source keeps events for ${source.retention_days} days; the whole time range is older.`]
}
