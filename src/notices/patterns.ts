/**
 * Counts events that match a pattern. A pattern is a reader of live tail: it costs ingest nothing, and sees what such a
 * reader sees, so that under more load than can be watched live it counts too few.
 */
import type { Clock } from '../base/clock.ts'
import type { Notifications, Pattern } from '../model/notifications.ts'
import type { Source } from '../model/source.ts'
import type { Stream, Tail } from '../tail/tail.ts'
import type { Told } from './message.ts'

type Parts = {
  tail: Pick<Tail, 'admit'>
  clock: Clock
  report(sourceToken: string, told: Told): void
  onError(error: unknown): void
}

type Watched = Source & { notifications: Notifications }
type Tally = { pattern: Pattern; token: string; minutes: Map<number, number>; samples: Told['samples']; leave(): void }

const MINUTE_MS = 60_000
const SAMPLES = 5
/** Messages of the stream are taken apart by the empty line between them; those with events begin so. */
const EVENT = /^id: [^\n]*\ndata: (.*)$/

export function createPatternWatch({ tail, clock, report, onError }: Parts) {
  const tallies = new Map<string, Tally>()

  function open(key: string, source: Watched, pattern: Pattern): void {
    const tally: Tally = { pattern, token: source.token, minutes: new Map(), samples: [], leave() {} }
    try {
      const begin = tail.admit({ source, lql: pattern.lql, cursor: null, endReason: () => null })
      tally.leave = begin(streamInto(tally))
      tallies.set(key, tally)
    } catch (error) {
      // Tried again with the next look at the settings.
      onError(error)
    }
  }

  function streamInto(tally: Tally): Stream {
    const forget = (): void => {
      for (const [key, one] of tallies) if (one === tally) tallies.delete(key)
    }
    return {
      queuedBytes: 0,
      write: (bytes) => take(tally, bytes.toString('utf8')),
      // Whoever ended it, it is opened again with the next look.
      end: forget,
      destroy: forget,
    }
  }

  function take(tally: Tally, text: string): void {
    const minute = Math.floor(clock.nowMs() / MINUTE_MS)
    for (const message of text.split('\n\n')) {
      const data = EVENT.exec(message)?.[1]
      if (data === undefined) continue
      tally.minutes.set(minute, (tally.minutes.get(minute) ?? 0) + 1)
      if (tally.samples.length < SAMPLES) tally.samples.push(JSON.parse(data))
    }
  }

  return {
    adopt(sources: Watched[]): void {
      const wanted = new Map(
        sources.flatMap((source) =>
          source.notifications.patterns.map(
            (pattern) => [JSON.stringify([source.token, pattern]), { source, pattern }] as const,
          ),
        ),
      )
      for (const [key, { leave }] of tallies) {
        if (wanted.has(key)) continue
        tallies.delete(key)
        leave()
      }
      for (const [key, { source, pattern }] of wanted) if (!tallies.has(key)) open(key, source, pattern)
    },

    /** Reports the patterns that reached their threshold; they begin anew. */
    count(): void {
      const minute = Math.floor(clock.nowMs() / MINUTE_MS)
      for (const tally of tallies.values()) {
        const { name, threshold, window_minutes } = tally.pattern
        for (const at of tally.minutes.keys()) if (at <= minute - window_minutes) tally.minutes.delete(at)
        const count = [...tally.minutes.values()].reduce((sum, one) => sum + one, 0)
        if (count === 0) tally.samples = []
        if (count < threshold) continue
        report(tally.token, { kind: 'pattern', name, count, samples: tally.samples })
        tally.minutes.clear()
        tally.samples = []
      }
    },

    stop(): void {
      for (const { leave } of tallies.values()) leave()
      tallies.clear()
    },
  }
}
