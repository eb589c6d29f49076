/** Values of rows as answers have them: times in microseconds, integers beyond 2^53 as text, JSON as it is. */
import type { CustomTypesConfig } from 'pg'

const NAMES: Record<number, string> = {
  16: 'BOOLEAN',
  20: 'BIGINT',
  21: 'BIGINT',
  23: 'BIGINT',
  700: 'DOUBLE',
  701: 'DOUBLE',
  1700: 'DOUBLE',
  1114: 'TIMESTAMP',
  1184: 'TIMESTAMP',
  1082: 'DATE',
  114: 'JSON',
  3802: 'JSON',
}

export const typeName = (oid: number): string => NAMES[oid] ?? 'VARCHAR'

const LISTS: Record<number, number> = {
  1000: 16,
  1005: 21,
  1007: 23,
  1016: 20,
  1021: 700,
  1022: 701,
  1231: 1700,
  1115: 1114,
  1185: 1184,
  1009: 25,
  1015: 25,
}

export function createReaders(): CustomTypesConfig {
  return {
    getTypeParser: (oid: number) => (text: string | Buffer) => {
      const value = String(text)
      const element = LISTS[oid]
      return element === undefined ? read(oid, value) : readList(value, element)
    },
  }
}

function read(oid: number, text: string): unknown {
  switch (typeName(oid)) {
    case 'BOOLEAN':
      return text === 't'
    case 'BIGINT':
      return Number.isSafeInteger(Number(text)) ? Number(text) : text
    case 'DOUBLE':
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'TIMESTAMP':
      return microseconds(text) ?? text
    case 'JSON':
      return JSON.parse(text, keepDigits)
    default:
      return text
  }
}

const keepDigits = (_name: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? /^-?\d+$/.test(context?.source ?? '')
      ? context?.source
      : value
    : value

const TIME = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00)?$/

/** Null for infinity and for years before Christ. */
function microseconds(text: string): number | null {
  const [, date, time, fraction = ''] = TIME.exec(text) ?? []
  return date === undefined ? null : Date.parse(`${date}T${time}Z`) * 1000 + Number(fraction.padEnd(6, '0'))
}

/** One dimension; deeper ones stay text. */
function readList(text: string, oid: number): unknown {
  if (!text.startsWith('{') || text.includes('{', 1)) return text
  const elements: unknown[] = []
  for (const [, quoted, plain] of text.slice(1, -1).matchAll(/(?:"((?:[^"\\]|\\.)*)"|([^,"]+))/g))
    elements.push(plain === 'NULL' ? null : read(oid, plain ?? quoted!.replace(/\\(.)/g, '$1')))
  return elements
}
