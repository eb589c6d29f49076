import type { FlatFields } from '../model/fields.ts'
import type { Engine } from './engine.ts'
import type { TypeName } from './tree.ts'

/**
 * What the translation knows of a value. It need not be complete: `unknown` is always allowed and leaves the decision
 * to the engine. It must never be wrong, because UNNEST, casts and comparisons with text are translated by it.
 *
 * BigQuery's TIMESTAMP (an instant) and DATETIME (a wall clock) are both TIMESTAMP in the engine, in UTC: plain
 * TIMESTAMP needs no time zone tables to truncate or compare. A DATETIME is turned into text on its way out.
 */
export type ScalarKind =
  | 'string'
  | 'bytes'
  | 'int64'
  | 'float64'
  | 'numeric'
  | 'bool'
  | 'timestamp'
  | 'datetime'
  | 'date'
  | 'time'
  | 'interval'
  | 'json'
  | 'unknown'

export type ValueType =
  | { kind: ScalarKind }
  | { kind: 'array'; of: ValueType }
  | { kind: 'struct'; fields: { name: string; type: ValueType }[] }

export type Column = { name: string; type: ValueType }

const scalar = (kind: ScalarKind): ValueType => ({ kind })
export const STRING = scalar('string')
export const BYTES = scalar('bytes')
export const INT64 = scalar('int64')
export const FLOAT64 = scalar('float64')
export const BOOL = scalar('bool')
export const TIMESTAMP = scalar('timestamp')
export const DATETIME = scalar('datetime')
export const DATE = scalar('date')
export const TIME = scalar('time')
export const INTERVAL = scalar('interval')
export const JSON_TYPE = scalar('json')
export const UNKNOWN = scalar('unknown')
export const arrayOf = (of: ValueType): ValueType => ({ kind: 'array', of })
export const elementOf = (type: ValueType): ValueType => (type.kind === 'array' ? type.of : UNKNOWN)

/** The type that several alternatives share (CASE, COALESCE, UNION), as far as it is certain. */
export function commonType(types: ValueType[]): ValueType {
  const known = types.filter((type) => type.kind !== 'unknown')
  const first = known[0]
  if (!first) return UNKNOWN
  if (known.every((type) => type.kind === first.kind)) return first
  if (known.every((type) => type.kind === 'int64' || type.kind === 'float64')) return FLOAT64
  return UNKNOWN
}

type EngineNames = Record<Engine, string>

const NAMES: Record<string, { kind: ScalarKind; engines: EngineNames }> = {}
function name(kind: ScalarKind, duckdb: string, postgres: string, clickhouse: string, names: string): void {
  const engines = { duckdb, postgres, clickhouse: `Nullable(${clickhouse})` }
  for (const each of names.split(' ')) NAMES[each] = { kind, engines }
}
/** An instant, a wall clock and a time of day are all this. */
const CLOCK = "DateTime64(6, 'UTC')"
name('string', 'VARCHAR', 'text', 'String', 'string text varchar char')
name('bytes', 'BLOB', 'bytea', 'String', 'bytes')
name('int64', 'BIGINT', 'bigint', 'Int64', 'int64 int integer bigint smallint tinyint byteint int2 int4 int8')
name('float64', 'DOUBLE', 'float8', 'Float64', 'float64 float double real float4 float8')
name('numeric', 'DECIMAL(38, 9)', 'numeric(38, 9)', 'Decimal(38, 9)', 'numeric decimal')
name('numeric', 'DECIMAL(38, 18)', 'numeric(38, 18)', 'Decimal(38, 18)', 'bignumeric bigdecimal')
name('bool', 'BOOLEAN', 'boolean', 'Bool', 'bool boolean')
name('timestamp', 'TIMESTAMP', 'timestamptz', CLOCK, 'timestamp timestamptz')
name('datetime', 'TIMESTAMP', 'timestamp', CLOCK, 'datetime')
name('date', 'DATE', 'date', 'Date32', 'date')
name('time', 'TIME', 'time', CLOCK, 'time')
name('interval', 'INTERVAL', 'interval', 'Int64', 'interval')
name('json', 'JSON', 'jsonb', 'String', 'json jsonb')

/** The type of a written type name with the engine's name of it, or null when there is no such type. */
export function typeNamed(written: TypeName, engine: Engine): { type: ValueType; engine: string } | null {
  if (written.kind === 'scalar') {
    const known = Object.hasOwn(NAMES, written.name) ? NAMES[written.name] : undefined
    return known ? { type: scalar(known.kind), engine: known.engines[engine] } : null
  }
  if (written.kind === 'array') {
    const of = typeNamed(written.of, engine)
    return of && { type: arrayOf(of.type), engine: LISTS[engine](of.engine) }
  }
  const fields: { name: string; type: ValueType }[] = []
  const engines: string[] = []
  for (const [i, field] of written.fields.entries()) {
    const of = typeNamed(field.type, engine)
    if (!of) return null
    const fieldName = field.name ?? `_field_${i + 1}`
    fields.push({ name: fieldName, type: of.type })
    engines.push(`"${fieldName.replaceAll('"', '""')}" ${of.engine}`)
  }
  return { type: { kind: 'struct', fields }, engine: OBJECTS[engine](engines) }
}

/** PostgreSQL has lists and objects of mixed values as jsonb alone; on ClickHouse they are JSON text. */
const LISTS: Record<Engine, (of: string) => string> = {
  duckdb: (of) => `${of}[]`,
  postgres: () => 'jsonb',
  clickhouse: () => 'Nullable(String)',
}
const OBJECTS: Record<Engine, (fields: string[]) => string> = {
  duckdb: (fields) => `STRUCT(${fields.join(', ')})`,
  postgres: () => 'jsonb',
  clickhouse: () => 'Nullable(String)',
}

/** The engine's name of a type, for typed NULLs and parameters; null when it is not certain. */
export function engineName(type: ValueType, engine: Engine): string | null {
  if (type.kind === 'array') {
    const of = engineName(type.of, engine)
    return of && LISTS[engine](of)
  }
  if (type.kind === 'struct' || type.kind === 'unknown') return null
  return NAMES[type.kind]!.engines[engine]
}

const FIELD_KINDS = { string: STRING, integer: INT64, float: FLOAT64, boolean: BOOL }

/** The columns of a source: the three standard ones, then its fields. */
export function sourceColumns(flat: FlatFields): { name: string; type: ValueType }[] {
  const top: { name: string; type: ValueType }[] = [
    { name: 'id', type: STRING },
    { name: 'timestamp', type: TIMESTAMP },
    { name: 'event_message', type: STRING },
  ]
  const parents = new Map<string, { name: string; type: ValueType }[]>()
  for (const [path, word] of Object.entries(flat)) {
    const cut = path.lastIndexOf('.')
    const level = cut < 0 ? top : parents.get(path.slice(0, cut))
    if (!level) continue
    level.push({ name: path.slice(cut + 1), type: fieldType(path, word, parents) })
  }
  return top
}

function fieldType(path: string, word: string, parents: Map<string, { name: string; type: ValueType }[]>): ValueType {
  const isList = word.endsWith('[]')
  const base = isList ? word.slice(0, -2) : word
  let type: ValueType = UNKNOWN
  if (base === 'object') {
    const fields: { name: string; type: ValueType }[] = []
    parents.set(path, fields)
    type = { kind: 'struct', fields }
  } else if (base === 'string' || base === 'integer' || base === 'float' || base === 'boolean') type = FIELD_KINDS[base]
  return isList ? arrayOf(type) : type
}
