/**
 * A source's table as the text reads it: a column for each path, so that a query reads only the fields it names. Objects
 * and lists are JSON text under their path (NULL when nothing is stored), lists of plain values also the engine's own
 * array under `path[]`.
 */
import { quoteName } from '../../emitted.ts'
import { type Column, engineName, type ValueType } from '../../value-types.ts'

type Read = { name: string; sql: string }

export function relation(columns: Column[], from: string, isRead: (name: string) => boolean): string {
  const read = columns.flatMap(({ name, type }) => reads([name], type)).filter(({ name }) => isRead(name))
  const values = read.map(({ name, sql }) => `${sql} AS ${quoteName(name)}`)
  return `SELECT ${values.join(', ') || '1 AS one'} FROM ${from} AS e`
}

function reads(path: string[], type: ValueType): Read[] {
  const name = path.join('.')
  const at = `e.${path.map(quoteName).join('.')}`
  const isInside = path.length > 1
  if (type.kind === 'struct') {
    const fields = type.fields.flatMap((field) => reads([...path, field.name], field.type))
    return [{ name, sql: objectText(path) }, ...fields]
  }
  if (type.kind !== 'array') return [{ name, sql: isInside ? `CAST(${at}, '${engineName(type, 'clickhouse')}')` : at }]
  if (type.of.kind === 'struct') {
    const list = isInside ? `${at}.:"Array(JSON)"` : at
    return [{ name, sql: textOf(list, list) }]
  }
  const array = `CAST(${at}, 'Array(${engineName(type.of, 'clickhouse') ?? 'Nullable(String)'})')`
  return [
    { name, sql: textOf(array, array) },
    { name: `${name}[]`, sql: array },
  ]
}

/** A path inside JSON gives no objects; `^` asks for one. */
function objectText([top, ...inner]: string[]): string {
  const object = `e.${quoteName(top!)}${inner.length > 0 ? `.^${inner.map(quoteName).join('.')}` : ''}`
  return textOf(`JSONAllPaths(${object})`, object)
}

const textOf = (asked: string, value: string): string => `if(empty(${asked}), NULL, toJSONString(${value}))`
