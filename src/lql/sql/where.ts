/** A filter as a condition. The path walk mirrors the one in `match.ts`: a change to one is a change to both. */
import type { KnownField, KnownFields } from '../known-fields.ts'
import type { Operator } from '../operators/operator.ts'
import { operatorOf } from '../operators/operator-of.ts'
import type { Clause, Filter } from '../query.ts'
import type { SqlWriter } from './writer.ts'

/** `null`: no event can meet the filter. NULL results count as false. */
export function filterSql(filter: Filter, fields: KnownFields, write: SqlWriter): string | null {
  const mark = write.mark()
  const sql = conditionSql(filter, fields, write)
  if (sql === null) write.forget(mark)
  return sql
}

function conditionSql(filter: Filter, fields: KnownFields, write: SqlWriter): string | null {
  switch (filter.op) {
    case 'all': {
      const parts = filter.of.map((part) => filterSql(part, fields, write))
      return parts.includes(null) ? null : `(${parts.join(' AND ')})`
    }
    case 'any': {
      const parts = filter.of.map((part) => filterSql(part, fields, write)).filter((part) => part !== null)
      return parts.length === 0 ? null : `(${parts.join(' OR ')})`
    }
    case 'not': {
      const part = filterSql(filter.of, fields, write)
      return part === null ? 'TRUE' : write.dialect.not(part)
    }
    default:
      return clauseSql(filter, fields, write)
  }
}

type Walk = { operator: Operator; acceptsMissing: boolean; fields: KnownFields; write: SqlWriter }

function clauseSql(clause: Clause, fields: KnownFields, write: SqlWriter): string | null {
  const operator = operatorOf(clause)
  const walk = { operator, acceptsMissing: operator.test(write.when)(undefined), fields, write }
  const [name = '', ...rest] = clause.path.split('.')
  const field = fields.find(name)
  return field ? reach(walk, field, write.dialect.column(field.path), rest, 1) : missing(walk)
}

const missing = ({ acceptsMissing }: Walk): string | null => (acceptsMissing ? 'TRUE' : null)

function reach(walk: Walk, field: KnownField, found: string, rest: string[], depth: number): string | null {
  if (!field.isList) return reachOne(walk, field, found, rest, depth)
  const { dialect } = walk.write
  const value = dialect.list(found, field.type)
  const variable = `e${depth}`
  const condition = reachOne(walk, field, dialect.element(variable), rest, depth + 1)
  const some = condition === null ? null : dialect.someElement(value, variable, condition)
  if (!walk.acceptsMissing) return some
  const isEmpty = dialect.isEmptyList(value)
  return some === null ? isEmpty : `(${isEmpty} OR ${some})`
}

function reachOne(walk: Walk, field: KnownField, value: string, rest: string[], depth: number): string | null {
  const [name, ...further] = rest
  if (name !== undefined) {
    const member = walk.fields.find(`${field.path}.${name}`)
    if (!member) return missing(walk)
    return reach(walk, member, walk.write.dialect.member(value, lastName(member.path)), further, depth)
  }
  if (field.type === 'object') return walk.acceptsMissing ? walk.write.dialect.isNoObject(value) : null
  return walk.operator.sql(walk.write.dialect.scalar(value, field.type), field.type, walk.write)
}

export const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)
