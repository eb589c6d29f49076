/** The embedded warehouse as the place of a source's events. */

import { Fault } from '../base/faults.ts'
import { dialectNamed } from '../lql/lql.ts'
import type { Source } from '../model/source.ts'
import { describeError } from '../sql/describe.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import type { PageRequest, Place } from './place.ts'

const words = dialectNamed('duckdb')

export const createWarehousePlace = (warehouse: Pick<Warehouse, 'search' | 'read'>, { token }: Source): Place => ({
  dialect: 'duckdb',
  words,
  values: 'inline',
  search: ({ params: _none, select, ...request }, signal) =>
    inWords(warehouse.search({ ...request, token, select: selectList(select) }, signal)),
  read: ({ params: _none, text, ...request }, signal) =>
    inWords(warehouse.read({ ...request, token, text: text('events') }, signal)),
})

export const STANDARD = ['id', 'timestamp', 'event_message']

function selectList(columns: PageRequest['select']): string | null {
  if (!columns) return null
  const own = columns.map(({ sql, name }) => `${sql} AS ${words.column(name)}`)
  return [...STANDARD.map((name) => `e.${words.column(name)}`), ...own].join(', ')
}

/** The engine's messages are put into words for the caller. */
async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof Fault && error.code === 'query_failed' ? describeError(error.message) : error
  }
}
