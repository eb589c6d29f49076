/** Records as lines for a mail. */
import { dateOf } from './values.ts'

const RECORDS_SHOWN = 20
const VALUE_CHARS = 1_000

export function recordsText(records: Record<string, unknown>[]): string {
  const shown = records.slice(0, RECORDS_SHOWN).map((record) =>
    Object.entries(record)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${name}: ${textOf(value)}`)
      .join('\n'),
  )
  const more = records.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n\n')
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (dateOf(value) ?? JSON.stringify(value))).slice(0, VALUE_CHARS)
}
