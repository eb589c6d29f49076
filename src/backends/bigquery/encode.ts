/** Events as rows of `insertAll`, for the columns that their table has. What fits none of them stands in `_rest`. */
import { createHash } from 'node:crypto'
import type { StoredEvent } from '../../model/event-of-row.ts'
import { printExactly } from '../json.ts'
import { isoMicroseconds } from '../time.ts'
import { type Column, columnNamed, isObject, REST, STANDARD } from './columns.ts'

export type Row = { insertId: string; json: Record<string, unknown> }

/** BigQuery forgets a row whose id it has seen a moment ago; ids may not be longer than this. */
const ID_BYTES = 128

export function encode(events: StoredEvent[], columns: readonly Column[]): Row[] {
  const own = columns.filter(({ name }) => !columnNamed(STANDARD, name))
  return events.map(({ id, timestamp, event_message, ...rest }) => {
    const unfit: Record<string, unknown> = {}
    const json = record(rest, own, '', unfit)
    return {
      insertId: Buffer.byteLength(id) > ID_BYTES ? createHash('sha256').update(id).digest('hex') : id,
      json: {
        ...{ id, timestamp: isoMicroseconds(timestamp) },
        ...(event_message === null ? {} : { event_message }),
        ...json,
        ...(Object.keys(unfit).length > 0 ? { [REST]: printExactly(unfit) } : {}),
      },
    }
  })
}

function record(
  object: Record<string, unknown>,
  columns: readonly Column[],
  prefix: string,
  unfit: Record<string, unknown>,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined) continue
    const column = columnNamed(columns, name)
    const isTaken = column !== undefined && Object.hasOwn(row, column.name)
    const fitted = column && !isTaken ? asColumn(value, column, prefix + name, unfit) : undefined
    if (column && fitted !== undefined) row[column.name] = fitted
    else unfit[prefix + name] = value
  }
  return row
}

/** Undefined when it does not fit. */
function asColumn(value: unknown, column: Column, path: string, unfit: Record<string, unknown>): unknown {
  if (column.mode !== 'REPEATED') return asOne(value, column, path, unfit)
  const elements = (Array.isArray(value) ? value : [value]).map((each) => asOne(each, column, path, unfit))
  return elements.includes(undefined) ? undefined : elements
}

function asOne(value: unknown, column: Column, path: string, unfit: Record<string, unknown>): unknown {
  switch (column.type) {
    case 'RECORD':
      return isObject(value) ? record(value, column.fields ?? [], `${path}.`, unfit) : undefined
    case 'STRING':
      return typeof value === 'string' ? value : printExactly(value)
    case 'INTEGER':
      // As text, so that no reader on the way makes a float of it.
      if (typeof value === 'bigint') return String(value)
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
    case 'FLOAT':
      return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
    case 'BOOLEAN':
      return typeof value === 'boolean' ? value : undefined
    default:
      return undefined
  }
}
