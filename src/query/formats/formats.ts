/**
 * Forms in which rows leave: `json` as they are kept, the others made from that. All of them are whole texts, because a
 * row cap bounds them.
 */
import { Fault } from '../../base/faults.ts'
import type { QueryCost } from '../../warehouse/protocol.ts'
import { toCsv } from './csv.ts'
import { rowTexts } from './rows.ts'

export type FormatName = 'json' | 'ndjson' | 'csv' | 'parquet'

export const MEDIA_TYPES: Record<FormatName, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

const ACCEPTED = new Map<string, FormatName>([
  ['application/json', 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['application/x-parquet', 'parquet'],
])

/** The format by its name, else the first of the `Accept` header that is known, else JSON. */
export function chooseFormat(name: unknown, accept: string | undefined): FormatName {
  if (name !== undefined && name !== '') {
    const known = [...ACCEPTED.values()].find((format) => format === name)
    if (!known) throw new Fault('bad_request', 'format must be json, ndjson, csv or parquet.')
    return known
  }
  if (accept === undefined || accept === '*/*') return 'json'
  for (const part of accept.split(',')) {
    const format = ACCEPTED.get(part.split(';', 1)[0]!.trim().toLowerCase())
    if (format) return format
  }
  return 'json'
}

export type List = { /** JSON list of objects. */ json: Buffer; columns: QueryCost['columns'] }

export type Encode = (list: List, format: Exclude<FormatName, 'json'>) => Promise<Buffer>

export function createEncode({
  parquet,
}: {
  parquet(rows: Buffer, columns: QueryCost['columns']): Promise<Buffer>
}): Encode {
  return async ({ json, columns }, format) => {
    if (format === 'parquet') return parquet(json, columns)
    const rows = rowTexts(json.toString('utf8'))
    if (format === 'csv') return Buffer.from(toCsv(rows, columns))
    return Buffer.from(rows.map((row) => `${row}\n`).join(''))
  }
}
