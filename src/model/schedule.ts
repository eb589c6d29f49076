/**
 * When a cron is due, on the clock of a time zone. Where that clock jumps ahead, what was due in the gap is due right
 * after it; where it is put back, what names its hours is due once, and what is due every hour goes on.
 */
import { type Cron, parseCron } from './cron.ts'

export type Schedule = {
  /** The first moment after this one, always a whole minute; null when none comes within ten years. */
  next(afterMs: number): number | null
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const HORIZON_MS = 3_660 * DAY_MS
const ALL_HOURS = 24

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Both texts were checked when they were saved. */
export function createSchedule({ cron: text, timezone }: { cron: string; timezone: string }): Schedule {
  const cron = readCron(text)
  const offsetMs = offsetsOf(timezone)
  const namesHours = cron.hours.length < ALL_HOURS

  function isDue(atMs: number): boolean {
    const offset = offsetMs(atMs)
    const before = offsetMs(atMs - MINUTE_MS)
    if (namesHours && before < offset && isDueWithin(atMs + before, atMs + offset)) return true
    return matches(cron, atMs + offset) && !(namesHours && wasReadBefore(atMs, offset))
  }

  /** Readings that the clock jumps over. */
  function isDueWithin(fromWallMs: number, toWallMs: number): boolean {
    for (let wall = fromWallMs; wall < toWallMs; wall += MINUTE_MS) if (matches(cron, wall)) return true
    return false
  }

  /** Clocks are put back by an hour, on one island by half of one. */
  function wasReadBefore(atMs: number, offset: number): boolean {
    return [30, 60].some((minutes) => offsetMs(atMs - minutes * MINUTE_MS) - offset === minutes * MINUTE_MS)
  }

  return {
    next(afterMs) {
      const lastMs = afterMs + HORIZON_MS
      let at = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS
      while (at <= lastMs) {
        if (isDue(at)) return at
        at = nextCandidate(cron, at, offsetMs(at))
      }
      return null
    },
  }
}

function readCron(text: string): Cron {
  const cron = parseCron(text)
  if ('problem' in cron) throw new Error(`the schedule ${text} ${cron.problem}`)
  return cron
}

/** No moment before it can be due. A jump of the clock lies on a candidate, as clocks jump on whole hours and half ones. */
function nextCandidate(cron: Cron, atMs: number, offset: number): number {
  const wall = new Date(atMs + offset)
  const minutes = wall.getUTCHours() * 60 + wall.getUTCMinutes()
  // Not over the last hours of a day: the clock may jump in them.
  if (!isDay(cron, wall) && minutes < 20 * 60) return atMs + (20 * 60 - minutes) * MINUTE_MS
  if (!isDay(cron, wall) || !cron.hours.includes(wall.getUTCHours()))
    return atMs + (30 - (wall.getUTCMinutes() % 30)) * MINUTE_MS
  return atMs + MINUTE_MS
}

function matches(cron: Cron, wallMs: number): boolean {
  const wall = new Date(wallMs)
  return cron.minutes.includes(wall.getUTCMinutes()) && cron.hours.includes(wall.getUTCHours()) && isDay(cron, wall)
}

/** When both kinds of days are limited, either one counts. */
function isDay({ days, months, weekdays }: Cron, wall: Date): boolean {
  if (!months.includes(wall.getUTCMonth() + 1)) return false
  const isMonthDay = days.includes(wall.getUTCDate())
  const isWeekday = weekdays.includes(wall.getUTCDay())
  return days.length < 31 && weekdays.length < 7 ? isMonthDay || isWeekday : isMonthDay && isWeekday
}

/** How far the clock of the zone is ahead of UTC. */
function offsetsOf(timezone: string): (atMs: number) => number {
  if (/^(Etc\/)?UTC$/i.test(timezone)) return () => 0
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  })
  return (atMs) => {
    const read: Record<string, number> = {}
    for (const { type, value } of clock.formatToParts(atMs)) read[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = read
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(atMs / MINUTE_MS) * MINUTE_MS
  }
}
