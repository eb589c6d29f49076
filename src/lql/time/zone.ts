import { Fault } from '../../base/faults.ts'

/** From a wall clock to the instant it shows. */
export type Zone = {
  /** `wallMs` is the reading of the clock as if it were UTC. Of two such instants the first; of none, the one after the gap. */
  instantMs(wallMs: number): number
}

const UTC_ZONE: Zone = { instantMs: (wallMs) => wallMs }

export function createZone(name: string): Zone {
  if (name === 'UTC' || name === 'Etc/UTC') return UTC_ZONE
  const clock = clockOf(name)
  const offsetMs = (instantMs: number): number => readingMs(clock, instantMs) - Math.floor(instantMs / 1000) * 1000
  return {
    instantMs(wallMs) {
      // The offsets a day before and after are the two that can hold around a change.
      const before = wallMs - offsetMs(wallMs - DAY_MS)
      const after = wallMs - offsetMs(wallMs + DAY_MS)
      for (const instant of [Math.min(before, after), Math.max(before, after)]) {
        if (instant + offsetMs(instant) === wallMs) return instant
      }
      return Math.max(before, after)
    },
  }
}

const DAY_MS = 86_400_000

function clockOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw new Fault('bad_request', `There is no time zone ${name}. Use a name such as Europe/Berlin.`)
  }
}

function readingMs(clock: Intl.DateTimeFormat, instantMs: number): number {
  const read: Record<string, number> = {}
  let isBeforeChrist = false
  for (const { type, value } of clock.formatToParts(instantMs)) {
    if (type === 'era') isBeforeChrist = value.startsWith('B')
    else read[type] = Number(value)
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read
  const date = new Date(0)
  date.setUTCFullYear(isBeforeChrist ? 1 - year : year, month - 1, day)
  return date.getTime() + (hour * 3600 + minute * 60 + second) * 1000
}
