/** Values as named parameters with a type: the one that the query expects, else the one that they look like. */
import type { BoundText, Statement } from '../kind.ts'
import type { Parameter } from './jobs.ts'

type Expected = NonNullable<Statement['types']>[number]

const TYPES: Record<string, string | undefined> = {
  ...{ string: 'STRING', bytes: 'BYTES', int64: 'INT64', float64: 'FLOAT64', numeric: 'NUMERIC', bool: 'BOOL' },
  ...{ timestamp: 'TIMESTAMP', datetime: 'DATETIME', date: 'DATE', time: 'TIME', json: 'JSON' },
}

export const parametersOf = ({ values, types = [] }: Pick<Statement, 'values' | 'types'>): Parameter[] =>
  values.map((value, i) => ({ name: `p${i + 1}`, ...parameterOf(value, types[i] ?? null) }))

function parameterOf(value: BoundText, expected: Expected): Omit<Parameter, 'name'> {
  const isList = expected === 'array' || expected?.endsWith('[]') === true
  const known = TYPES[expected?.replace('[]', '') ?? '']
  if (!Array.isArray(value) && !isList) {
    const type = known ?? lookOf([value])
    return { parameterType: { type }, parameterValue: { value } }
  }
  const elements = Array.isArray(value) ? value : value === null ? [] : [value]
  const type = known ?? lookOf(elements)
  return {
    parameterType: { type: 'ARRAY', arrayType: { type } },
    parameterValue: { arrayValues: elements.map((each) => ({ value: each })) },
  }
}

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/
const FLOAT = /^-?(?:0|[1-9]\d{0,20})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** What all of them look like; texts when they differ. */
function lookOf(values: (string | null)[]): string {
  const given = values.filter((value) => value !== null)
  if (given.length === 0) return 'STRING'
  if (given.every((value) => INTEGER.test(value))) return 'INT64'
  if (given.every((value) => FLOAT.test(value))) return 'FLOAT64'
  return given.every((value) => value === 'true' || value === 'false') ? 'BOOL' : 'STRING'
}
