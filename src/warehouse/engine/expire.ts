/** Retention: parts whose newest event is past the source's TTL leave the manifest and then the disk. Whole parts only. */
import { filesOf, type SourceStore, type Store } from './store.ts'

const DAY_US = 86_400_000_000

/** Events older than this are never returned, whether or not their part is still there. */
export const retentionFloorUs = (source: SourceStore, nowMs: number): number =>
  nowMs * 1000 - source.retentionDays * DAY_US

export function expire(store: Store, source: SourceStore, nowMs: number): number {
  const floor = retentionFloorUs(source, nowMs)
  const expired = source.manifest.parts.filter((part) => part.maxUs < floor)
  if (expired.length === 0) return 0
  store.commit(source, {
    ...source.manifest,
    parts: source.manifest.parts.filter((part) => part.maxUs >= floor),
  })
  store.retire(filesOf(source, expired))
  return expired.length
}
