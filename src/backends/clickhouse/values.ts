/** Values of rows as answers have them: times in microseconds, integers beyond 2^53 as text. */
import { JSON_COLUMN } from '../../sql/dialects/clickhouse/settings.ts'

export const keepDigits = (_name: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
  const digits = context?.source ?? ''
  return /^-?\d+$/.test(digits) ? digits : value
}

export function readValue(value: unknown, type: string): unknown {
  if (type === JSON_COLUMN) return readJson(value)
  const inner = /^(?:Nullable|LowCardinality|Array)\((.*)\)$/.exec(type)?.[1]
  if (inner !== undefined)
    return Array.isArray(value) ? value.map((each) => readValue(each, inner)) : readValue(value, inner)
  if (typeof value !== 'string') return value
  if (type.startsWith('Float')) return NO_NUMBERS[value] ?? value
  if (!type.startsWith('DateTime')) return value
  return microseconds(value) ?? value
}

const NO_NUMBERS: Record<string, string> = { inf: 'Infinity', '-inf': '-Infinity', nan: 'NaN', '-nan': 'NaN' }

/** Lists and objects that left as JSON text. */
function readJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('json' in value) || typeof value.json !== 'string') return null
  return JSON.parse(value.json, keepDigits)
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/

function microseconds(text: string): number | null {
  const [, date, time, fraction = ''] = TIME.exec(text) ?? []
  return date === undefined ? null : Date.parse(`${date}T${time}Z`) * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}
