/** BigQuery as the home of sources. */
import { Fault } from '../../base/faults.ts'
import type { Home } from '../kind.ts'
import { columnsOf, REST } from './columns.ts'
import { faultOf } from './failures.ts'
import type { BigqueryOptions } from './options.ts'
import { qualified, type Tables } from './tables.ts'

const MISSING = /^Not found: (?:Table|Dataset)|Unrecognized name|Name .+ not found inside|Field name .+ does not exist/

type Parts = {
  options: BigqueryOptions
  tables: Tables
  /** Runs one statement that changes a table. */
  change(statement: string): Promise<void>
}

export function createHome({ options, tables, change }: Parts): Home {
  const inWords = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work
    } catch (error) {
      throw faultOf(error)
    }
  }

  return {
    prepare(source) {
      // What is thought to be there is looked at again: the caller found that something is not.
      tables.forget(source.token)
      return inWords(tables.prepare(source, columnsOf([], source.fields())))
    },
    clear: (token) => inWords(change(`TRUNCATE TABLE ${qualified(options, token)}`)),
    remove(token) {
      tables.forget(token)
      return inWords(change(`DROP TABLE IF EXISTS ${qualified(options, token)}`))
    },
    isMissing: (error) => error instanceof Fault && error.code === 'query_failed' && MISSING.test(error.message),
    event({ id, timestamp, event_message, [REST]: rest, ...columns }) {
      const event: Row = { id, timestamp, event_message, ...whole(columns) }
      for (const [path, value] of Object.entries(restOf(rest))) put(event, path.split('.'), value)
      return event
    },
  }
}

type Row = Record<string, unknown>

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Columns that an event does not have are null or empty; what carries no value was not stored. */
function whole(row: Row): Row {
  const kept: Row = {}
  for (const [name, value] of Object.entries(row)) {
    const inside = isRow(value)
      ? whole(value)
      : Array.isArray(value)
        ? value.map((each) => (isRow(each) ? whole(each) : each))
        : value
    if (inside === null || (typeof inside === 'object' && Object.keys(inside).length === 0)) continue
    kept[name] = inside
  }
  return kept
}

/** What has no column of its own, by path. */
function restOf(rest: unknown): Row {
  const read: unknown = typeof rest === 'string' ? JSON.parse(rest) : {}
  return isRow(read) ? read : {}
}

function put(into: Row, [name = '', ...further]: string[], value: unknown): void {
  if (further.length === 0) {
    into[name] ??= value
    return
  }
  const inside = isRow(into[name]) ? into[name] : {}
  into[name] = inside
  put(inside, further, value)
}
