/**
 * From a source's fields to the engine's columns: the type of the raw row, the select list that lifts its fields, and
 * the empty relation that gives every query all known columns with their types.
 */
import { createHash } from 'node:crypto'
import { type Field, type Fields, type FlatFields, flatFields, type ScalarType } from '../../model/fields.ts'

const SCALAR: Record<ScalarType, string> = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The fields that can hold a value: an object without known children cannot, and the engine has no empty struct. */
const columnsOf = (fields: Fields): [string, Field][] => [...fields].filter(([, field]) => holdsValue(field))

const holdsValue = (field: Field): boolean => !field.fields || columnsOf(field.fields).length > 0

/** The columns of the fields, without those that every event has. */
export const fieldColumns = (fields: Fields): { name: string; type: string }[] =>
  columnsOf(fields).map(([name, field]) => ({ name, type: columnType(field) }))

function structType(fields: Fields): string {
  const members = columnsOf(fields).map(([name, field]) => `${quoteName(name)} ${columnType(field)}`)
  return `STRUCT(${members.join(', ')})`
}

function columnType({ type, fields }: Field): string {
  const isList = type.endsWith('[]')
  const base = fields ? structType(fields) : scalarType(isList ? type.slice(0, -2) : type)
  return isList ? `${base}[]` : base
}

function scalarType(word: string): string {
  if (word in SCALAR) return SCALAR[word as ScalarType]
  throw new Error(`unknown field type ${word}`)
}

/** `read_json` over row files, with every type spelled out: nothing is guessed from the data. */
export function readRows(files: string[], fields: Fields): string {
  const row = new Map(fields)
  row.set('event_message', { type: 'string', fields: null })
  row.set('message', { type: 'string', fields: null })
  const list = files.map(quoteText).join(', ')
  return (
    `read_json([${list}], format = 'newline_delimited', auto_detect = false, maximum_object_size = ${MAX_ROW_BYTES}, ` +
    `columns = {id: 'VARCHAR', ts: 'BIGINT', e: ${quoteText(structType(row))}})`
  )
}

/** An event is at most 1 MB; renaming keys and moving values to `_unfit` can make its row a little longer. */
const MAX_ROW_BYTES = 4_194_304

/** The select list that turns raw rows into the columns of a part. */
export function liftColumns(fields: Fields): string {
  const lifted = columnsOf(fields).map(([name]) =>
    name === 'message'
      ? 'CASE WHEN e.event_message IS NOT NULL THEN e.message END AS message'
      : `e.${quoteName(name)} AS ${quoteName(name)}`,
  )
  return [
    'id',
    'make_timestamp(ts) AS "timestamp"',
    'coalesce(e.event_message, e.message) AS event_message',
    ...lifted,
  ].join(', ')
}

/** A relation without rows that has all columns in their order. */
export function emptyRelation(fields: Fields): string {
  const columns = columnsOf(fields).map(([name, field]) => `CAST(NULL AS ${columnType(field)}) AS ${quoteName(name)}`)
  return (
    `SELECT ${['CAST(NULL AS VARCHAR) AS id', 'CAST(NULL AS TIMESTAMP) AS "timestamp"', 'CAST(NULL AS VARCHAR) AS event_message', ...columns].join(', ')} ` +
    'WHERE false'
  )
}

/** Names a set of columns: equal shapes need no reconciling when they are read together. */
export function shapeOf(fields: Fields): string {
  const flat: FlatFields = flatFields(fields)
  return createHash('sha256').update(JSON.stringify(flat)).digest('hex').slice(0, 12)
}
