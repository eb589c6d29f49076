/**
 * The stored event that a row of the journal stands for, as the warehouse would give it back: the message lifted, the
 * sender's own `id` and `timestamp` left aside, integers exact. docs/formats/warehouse.md describes both sides.
 */
import type { FlatFields } from './fields.ts'

/** Integers beyond 2^53 are bigints here, and text once printed. */
export type StoredEvent = {
  id: string
  timestamp: number
  event_message: string | null
  [field: string]: unknown
}

/** A number of 16 digits or more may be beyond 2^53. It finds some text too; that only costs time. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}/g

/** `fields` is asked only for events with integers beyond 2^53: in a field of floats they are floats. */
export function eventOfRow(row: string, fields: () => FlatFields): StoredEvent {
  LONG_NUMBER.lastIndex = row.indexOf(',"e":')
  const isLong = LONG_NUMBER.test(row)
  const { id, ts, e } = rowOf(isLong ? JSON.parse(row, keepDigits) : JSON.parse(row))
  const sent = isLong ? withFloats(e, '', fields()) : e
  const { id: _id, timestamp: _timestamp, event_message, message, ...rest } = sent
  const own = textOf(event_message)
  const event: StoredEvent = { id, timestamp: ts, event_message: own ?? textOf(message), ...rest }
  if (own !== null && message !== undefined) event.message = message
  return event
}

export function printEvent(event: Record<string, unknown>): string {
  try {
    return JSON.stringify(event)
  } catch {
    // Looking for long integers in every event would cost more than the printing.
    return JSON.stringify(event, longsAsText)
  }
}

type Row = { id: string; ts: number; e: Record<string, unknown> }

function rowOf(value: unknown): Row {
  if (!isRecord(value) || !isRecord(value.e) || typeof value.id !== 'string' || typeof value.ts !== 'number')
    throw new Error('a row of the journal has no id, ts and e')
  return { id: value.id, ts: value.ts, e: value.e }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const INTEGER = /^-?\d+$/

function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const digits = context?.source
  return digits !== undefined && INTEGER.test(digits) && isInt64(BigInt(digits)) ? BigInt(digits) : value
}

/** A longer integer never was one to the warehouse: it is a float. */
const isInt64 = (value: bigint): boolean => value === BigInt.asIntN(64, value)

function withFloats(object: Record<string, unknown>, prefix: string, fields: FlatFields): Record<string, unknown> {
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => [
    name,
    asField(value, prefix + name, fields),
  ])
  return Object.fromEntries(entries)
}

function asField(value: unknown, path: string, fields: FlatFields): unknown {
  if (typeof value === 'bigint') return fields[path]?.startsWith('float') ? Number(value) : value
  if (Array.isArray(value)) return value.map((element) => asField(element, path, fields))
  return isRecord(value) ? withFloats(value, `${path}.`, fields) : value
}

const longsAsText = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
