/** Runs one statement that may only read, within limits of time and rows. */
import { Fault } from '../../base/faults.ts'
import { isMarked, SETTINGS } from '../../sql/dialects/clickhouse/settings.ts'
import type { BoundText, Store } from '../kind.ts'
import { tableName } from '../table-name.ts'
import type { LazyClient } from './client.ts'
import { codeOf } from './failures.ts'
import { qualified } from './tables.ts'
import { keepDigits, readValue } from './values.ts'

type Answer = {
  meta: { name: string; type: string }[]
  data: unknown[][]
  statistics?: { bytes_read?: number }
}

export function createStore({ client, database }: { client: LazyClient; database: string }): Store {
  return {
    dialect: 'clickhouse',
    table: (token, keptFromUs, isFinal) =>
      `(SELECT * FROM ${qualified(database, tableName(token))}${isFinal ? ' FINAL' : ''} WHERE timestamp >= fromUnixTimestamp64Micro(${keptFromUs}, 'UTC'))`,
    place: (number, value, type) => `{p${number}:${type ?? typeOf(value)}}`,
    async query({ text, values, labels, maxRows, timeoutMs }, signal) {
      const startedAt = performance.now()
      try {
        const answer = await (await client.get()).query({
          query: text,
          format: 'JSONCompact',
          query_params: Object.fromEntries(values.map((value, i) => [`p${i + 1}`, listed(value, text, i + 1)])),
          clickhouse_settings: {
            readonly: '1',
            max_execution_time: Math.ceil(timeoutMs / 1000),
            max_result_rows: String(maxRows + 1),
            result_overflow_mode: 'break',
            output_format_json_quote_64bit_integers: 0,
            date_time_output_format: 'iso',
            ...(isMarked(text) ? SETTINGS : {}),
            ...(Object.keys(labels).length > 0 ? { log_comment: JSON.stringify(labels) } : {}),
          },
          ...(signal ? { abort_signal: signal } : {}),
        })
        const { meta, data, statistics }: Answer = JSON.parse(await answer.text(), keepDigits)
        const kept = data.slice(0, maxRows)
        const rows = kept.map((row) =>
          Object.fromEntries(meta.map(({ name, type }, i) => [name, readValue(row[i], type)])),
        )
        return {
          json: Buffer.from(JSON.stringify(rows)),
          cost: {
            rows: rows.length,
            ms: Math.round(performance.now() - startedAt),
            truncated: data.length > kept.length,
            bytesScanned: statistics?.bytes_read ?? 0,
            columns: meta.map(({ name, type }) => ({ name, type: engineType(type) })),
          },
        }
      } catch (error) {
        throw faultOf(error, timeoutMs)
      }
    },
  }
}

/** The client quotes texts inside lists, which numbers must not be, whatever they look like. */
function listed(value: BoundText, text: string, number: number): unknown {
  if (!Array.isArray(value) || text.includes(`{p${number}:Array(Nullable(String))}`)) return value
  const type = typeOf(value)
  if (type === 'Array(Int64)') return value.map((each) => BigInt(each ?? 0))
  return type === 'Array(Float64)' ? value.map(Number) : value
}

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/
const FLOAT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** By its look: the engine does not say what it expects at a place. */
function typeOf(value: BoundText): string {
  if (Array.isArray(value)) {
    const types = new Set(value.map(scalarType))
    const [only = 'String'] = types
    return `Array(${types.size === 1 ? only : 'Nullable(String)'})`
  }
  return scalarType(value)
}

function scalarType(text: string | null): string {
  if (text === null) return 'Nullable(String)'
  if (INTEGER.test(text)) return 'Int64'
  if (FLOAT.test(text)) return 'Float64'
  return text === 'true' || text === 'false' ? 'Bool' : 'String'
}

const TYPES: [RegExp, string][] = [
  [/^U?Int(?:8|16|32|64)$/, 'BIGINT'],
  [/^(?:Float|Decimal)/, 'DOUBLE'],
  [/^Bool$/, 'BOOLEAN'],
  [/^DateTime/, 'TIMESTAMP'],
  [/^Date/, 'DATE'],
]

function engineType(type: string): string {
  const bare = type.replace(/^(?:Nullable|LowCardinality)\((.*)\)$/, '$1')
  return (
    TYPES.find(([pattern]) => pattern.test(bare))?.[1] ?? (/^(?:JSON|Array|Tuple|Map)/.test(bare) ? 'JSON' : 'VARCHAR')
  )
}

export function faultOf(error: unknown, timeoutMs: number): unknown {
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  if (code === '159' || code === '160' || /^Timeout error/i.test(message))
    return new Fault('bad_request', `the query took longer than ${timeoutMs / 1000} s; narrow its time range`)
  if (/^\d+$/.test(code)) return new Fault('query_failed', message, { code })
  return error instanceof Fault
    ? error
    : new Fault('unavailable', 'The backend cannot be reached. Test its connection.', message)
}
