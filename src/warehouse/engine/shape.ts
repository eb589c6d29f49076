/**
 * Rows as JSON text, straight from the engine's vectors: timestamps as integer microseconds, integers beyond 2^53 as
 * strings, nested values as JSON. No row objects are built, so that a name like `__proto__` is a name like any other.
 */
import {
  DuckDBBlobValue,
  type DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListVector,
  DuckDBMapVector,
  DuckDBStructVector,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
} from '@duckdb/node-api'

/** `row`: every column, null or not, as SQL results have it. `event`: only what the event holds. */
export type Shape = 'row' | 'event'

/** The result's own columns: only its types tell JSON from text, the vectors do not. */
type Columns = { deduplicatedColumnNames(): string[]; columnTypes(): DuckDBType[] }

/** `hidden`: so many columns at the end are left out. */
export function createShaper(
  result: Columns,
  shape: Shape,
  hidden = 0,
): (chunk: DuckDBDataChunk, index: number) => string {
  const names = result.deduplicatedColumnNames()
  const isJson = result.columnTypes().map((type) => type.alias === 'JSON')
  const keys = names.map((name) => `${JSON.stringify(name)}:`)
  const shown = keys.length - hidden
  return (chunk, index) => {
    let text = ''
    for (let column = 0; column < shown; column += 1) {
      const value = itemJson(chunk.getColumnVector(column), index, shape, isJson[column]!)
      if (value === 'null' && shape === 'event' && names[column] !== 'event_message') continue
      text += `${text ? ',' : ''}${keys[column]}${value}`
    }
    return `{${text}}`
  }
}

function itemJson(vector: DuckDBVector, index: number, shape: Shape, isJson: boolean): string {
  if (vector instanceof DuckDBStructVector) return structJson(vector, index, shape)
  if (vector instanceof DuckDBListVector) return listJson(vector, index, shape)
  if (vector instanceof DuckDBMapVector) return mapJson(vector, index)
  const value = vector.getItem(index)
  if (isJson && typeof value === 'string') return value
  return scalarJson(value)
}

function structJson(vector: DuckDBStructVector, index: number, shape: Shape): string {
  if (!vector.isItemValid(index)) return 'null'
  const { entryNames: names, entryTypes: types } = vector.type
  let text = ''
  for (let entry = 0; entry < names.length; entry += 1) {
    const value = itemJson(vector.entryVectorAt(entry), index, shape, types[entry]!.alias === 'JSON')
    if (value === 'null' && shape === 'event') continue
    text += `${text ? ',' : ''}${JSON.stringify(names[entry] || `_field_${entry + 1}`)}:${value}`
  }
  return text === '' && shape === 'event' ? 'null' : `{${text}}`
}

function listJson(vector: DuckDBListVector, index: number, shape: Shape): string {
  const items = vector.getItemVector(index)
  if (!items) return 'null'
  const isJson = vector.type.valueType.alias === 'JSON'
  let text = ''
  for (let item = 0; item < items.itemCount; item += 1)
    text += `${item > 0 ? ',' : ''}${itemJson(items, item, shape, isJson)}`
  return `[${text}]`
}

function mapJson(vector: DuckDBMapVector, index: number): string {
  const map = vector.getItem(index)
  if (!map) return 'null'
  return `{${map.entries.map(({ key, value }) => `${JSON.stringify(String(key))}:${scalarJson(value)}`).join(',')}}`
}

function scalarJson(value: DuckDBValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : JSON.stringify(String(value))
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return integerJson(value)
    default:
      return value === null || value === undefined ? 'null' : objectJson(value)
  }
}

function objectJson(value: Exclude<DuckDBValue, null | boolean | number | bigint | string>): string {
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return integerJson(value.micros)
  if (value instanceof DuckDBDateValue) return JSON.stringify(value.toString())
  if (value instanceof DuckDBDecimalValue) return decimalJson(value)
  if (value instanceof DuckDBBlobValue) return JSON.stringify(Buffer.from(value.bytes).toString('base64'))
  return JSON.stringify(value.toString())
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER)

function integerJson(value: bigint): string {
  return value <= SAFE && value >= -SAFE ? value.toString() : `"${value}"`
}

function decimalJson(value: DuckDBDecimalValue): string {
  const text = value.toString()
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  // As many digits as a double can hold are a number for every reader; more would lose some.
  return plain.replace(/[-.]/g, '').length <= 15 ? plain : `"${plain}"`
}
