/** A schedule as people say it. What has no short words stays as it is written. */
const SHORT = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
])

export const PRESETS = [
  { cron: '* * * * *', label: 'Every minute' },
  { cron: '*/5 * * * *', label: 'Every 5 minutes' },
  { cron: '*/15 * * * *', label: 'Every 15 minutes' },
  { cron: '0 * * * *', label: 'Every hour' },
  { cron: '0 9 * * *', label: 'Every day at 09:00' },
  { cron: '0 9 * * 1-5', label: 'Weekdays at 09:00' },
  { cron: '0 9 * * 1', label: 'Mondays at 09:00' },
  { cron: '0 9 1 * *', label: 'The first of every month at 09:00' },
]

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']
const DAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export function scheduleText(cron: string): string {
  const asked = cron.trim().toLowerCase()
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = (SHORT.get(asked) ?? asked).split(/\s+/)
  const text = month === '*' ? wordsFor({ minute, hour, day, weekday }) : null
  return text ?? cron
}

type Fields = { minute: string; hour: string; day: string; weekday: string }

function wordsFor({ minute, hour, day, weekday }: Fields): string | null {
  const everyDay = day === '*' && weekday === '*'
  const everyMinutes = step(minute)
  if (everyMinutes !== null && hour === '*' && everyDay)
    return everyMinutes === 1 ? 'every minute' : `every ${everyMinutes} minutes`
  if (!isNumber(minute)) return null
  const past = minute === '0' ? '' : ` at ${minute} past`
  const everyHours = step(hour)
  if (everyHours !== null && everyDay) return `${everyHours === 1 ? 'every hour' : `every ${everyHours} hours`}${past}`
  if (!isNumber(hour)) return null
  const at = `at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (everyDay) return `every day ${at}`
  if (day === '*') {
    const days = daysText(weekday)
    return days === null ? null : `${days} ${at}`
  }
  return weekday === '*' && isNumber(day) ? `day ${day} of every month ${at}` : null
}

const isNumber = (text: string): boolean => /^\d{1,2}$/.test(text)

/** Of a field that is `*` or `*` with a step. */
const step = (text: string): number | null =>
  text === '*' ? 1 : /^\*\/\d{1,2}$/.test(text) ? Number(text.slice(2)) : null

function daysText(weekday: string): string | null {
  if (weekday === '1-5' || weekday === 'mon-fri') return 'weekdays'
  const days = weekday.split(',').map((part) => {
    const named = DAY_NAMES.indexOf(part)
    return DAYS[named >= 0 ? named : /^[0-7]$/.test(part) ? Number(part) : -1]
  })
  return days.every((day) => day !== undefined) ? days.join(', ') : null
}
