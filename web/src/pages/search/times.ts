/** Times of events: microseconds of the service, shown in a zone that the reader chose. */
export type Stamp = { date: string; time: string }

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const kept = formats.get(zone)
  if (kept) return kept
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, made)
  return made
}

/** Making the parts of a date is slow; rows of one second share them. */
const seconds = new Map<string, Stamp>()
const SECONDS_KEPT = 5_000

/** `2026-11-15` and `10:00:00.123` in the zone. */
export function stampOf(us: number | string, zone: string): Stamp {
  const micros = typeof us === 'number' ? us : Date.parse(us) * 1000
  const second = Math.floor(micros / 1_000_000)
  const key = `${zone} ${second}`
  let whole = seconds.get(key)
  if (!whole) {
    const parts = formatOf(zone).formatToParts(second * 1000)
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((found) => found.type === type)?.value ?? ''
    whole = {
      date: `${part('year')}-${part('month')}-${part('day')}`,
      time: `${part('hour')}:${part('minute')}:${part('second')}`,
    }
    if (seconds.size >= SECONDS_KEPT) seconds.clear()
    seconds.set(key, whole)
  }
  const millis = String(Math.floor((micros % 1_000_000) / 1000)).padStart(3, '0')
  return { date: whole.date, time: `${whole.time}.${millis}` }
}

export function fullTime(us: number | string, zone: string): string {
  const { date, time } = stampOf(us, zone)
  return `${date} ${time}`
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** For inputs of the kind `datetime-local`, to the second. */
export function localText(us: number, zone: string): string {
  const { date, time } = stampOf(us, zone)
  return `${date}T${time.slice(0, 8)}`
}

export type Preset = { time: string; label: string }

export const PRESETS: readonly Preset[] = [
  { time: 'last@15minute', label: 'Last 15 minutes' },
  { time: 'last@1hour', label: 'Last hour' },
  { time: 'last@4hour', label: 'Last 4 hours' },
  { time: 'last@24hour', label: 'Last 24 hours' },
  { time: 'last@3day', label: 'Last 3 days' },
  { time: 'last@7day', label: 'Last 7 days' },
  { time: 'today', label: 'Today (UTC)' },
  { time: 'yesterday', label: 'Yesterday (UTC)' },
  { time: '', label: 'All that is kept' },
]

const LAST = /^last@(\d+)(second|minute|hour|day|week|month|year)s?$/
const RANGE = /^(\d{4}-\d\d-\d\dT[\d:]+)(?:\.\d+)?(Z?)\.\.(\d{4}-\d\d-\d\dT[\d:]+)(?:\.\d+)?(Z?)$/

/** A time of a query as people say it. */
export function timeLabel(time: string, zone: string): string {
  const preset = PRESETS.find((known) => known.time === time)
  if (preset) return preset.label
  const last = LAST.exec(time)
  if (last) return `Last ${last[1] === '1' ? '' : `${last[1]} `}${last[2]}${last[1] === '1' ? '' : 's'}`
  const range = RANGE.exec(time)
  if (!range) return time
  const local = (text: string, utc: string): string =>
    utc ? localText(Date.parse(`${text}Z`) * 1000, zone) : text.slice(0, 19)
  const from = local(range[1]!, range[2]!)
  const to = local(range[3]!, range[4]!)
  const isOneDay = from.slice(0, 10) === to.slice(0, 10)
  return `${from.replace('T', ' ')} – ${isOneDay ? to.slice(11) : to.replace('T', ' ')}`
}
