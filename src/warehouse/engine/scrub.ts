/**
 * Reads all parts again, slowly: once after each start and then once a day. The engine notices most damage only by
 * answers that make no sense (three of four random flips go unseen), the checksum notices all of it.
 */
import type { Clock } from '../../base/clock.ts'
import type { Part } from '../manifest.ts'
import type { SourceStore, Store } from './store.ts'

const BYTES_PER_SECOND = 32 * 1024 * 1024
const EVERY_MS = 24 * 3_600_000

/** The next part to look at, when it is time for one. */
export type Scrub = { next(): { source: SourceStore; part: Part } | null }

export function createScrub({ store, clock }: { store: Store; clock: Clock }): Scrub {
  let round: { source: SourceStore; part: Part }[] = []
  let nextRoundMs = 0
  let nextPartMs = 0

  function begin(nowMs: number): void {
    nextRoundMs = nowMs + EVERY_MS
    round = [...store.sources()].flatMap((source) => source.manifest.parts.map((part) => ({ source, part })))
  }

  return {
    next() {
      const nowMs = clock.nowMs()
      if (nowMs < nextPartMs) return null
      if (nowMs >= nextRoundMs) begin(nowMs)
      for (let due = round.shift(); due; due = round.shift()) {
        // Merged or expired since the round began.
        const { source, part } = due
        if (!source.manifest.parts.some(({ file }) => file === part.file)) continue
        nextPartMs = nowMs + (part.bytes / BYTES_PER_SECOND) * 1000
        return due
      }
      return null
    },
  }
}
