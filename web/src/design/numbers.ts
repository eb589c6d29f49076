/** Numbers, sizes and times as people read them. */
const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const count = (value: number): string => (value < 10_000 ? whole.format(value) : short.format(value))
export const exactCount = (value: number): string => whole.format(value)

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), UNITS.length - 1)
  const scaled = value / 1000 ** power
  return `${power > 0 && scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${UNITS[power]}`
}

export const perSecond = (value: number): string =>
  `${value < 10 ? Math.round(value * 10) / 10 : count(Math.round(value))}/s`

const STEPS: [limitMs: number, unitMs: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60_000, 1000, 'second'],
  [3_600_000, 60_000, 'minute'],
  [86_400_000, 3_600_000, 'hour'],
  [Number.POSITIVE_INFINITY, 86_400_000, 'day'],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })

/** "3m ago"; the exact time belongs in a `title` beside it. */
export function ago(time: string | number, nowMs: number): string {
  const differenceMs = new Date(time).getTime() - nowMs
  const [, unitMs, unit] = STEPS.find(([limitMs]) => Math.abs(differenceMs) < limitMs)!
  return relative.format(Math.round(differenceMs / unitMs), unit)
}
