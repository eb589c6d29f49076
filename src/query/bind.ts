/** Values of parameters, read as the type the query expects of them, else by their look. They never become text of the query. */
import { Fault } from '../base/faults.ts'
import type { Parameter } from '../sql/sql.ts'
import { instantText } from '../sql/time-units.ts'
import type { BoundValue } from '../warehouse/protocol.ts'

export type Values = Readonly<Record<string, unknown>>

export function bindParameters(parameters: Parameter[], values: Values): Record<string, BoundValue> {
  return Object.fromEntries(
    parameters.map(({ name, placeholder, type }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      return [placeholder, Array.isArray(value) || type === 'array' ? list(value) : one(name, value, type)]
    }),
  )
}

function one(name: string, value: unknown, type: Parameter['type']): BoundValue {
  const text = textOf(value)
  if (text === null) return { type: 'VARCHAR', value: null }
  if (text.includes('\0'))
    throw new Fault('bad_request', `The value of ${name} holds the character with code 0, which no text may.`)
  if (type === null) return { type: typeof value === 'string' || isPlain(value) ? look(text) : 'VARCHAR', value: text }
  // The engine reads texts as the type the query says, with the time in microseconds as the one form it does not know.
  return { type: 'VARCHAR', value: type === 'timestamp' && /^-?\d{14,18}$/.test(text) ? instant(text) : text }
}

function instant(text: string): string {
  const us = Number(text)
  return Math.abs(us) < 8.64e18 ? instantText(us) : text
}

/** A single value where a list is expected is a list of one; elements of several looks are all texts. */
function list(value: unknown): BoundValue {
  if (value === undefined || value === null) return { type: 'VARCHAR', value: null }
  const texts = (Array.isArray(value) ? value : [value]).map(textOf)
  const looks = new Set(texts.filter((text) => text !== null).map(look))
  const [only] = looks
  if (looks.size === 1 && only) return { type: only, value: texts }
  const isNumbers = [...looks].every((type) => type === 'BIGINT' || type === 'DOUBLE')
  return { type: looks.size > 0 && isNumbers ? 'DOUBLE' : 'VARCHAR', value: texts }
}

const isPlain = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/
const FLOAT = /^-?(?:0|[1-9]\d{0,20})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** What a text looks like. `007` and `1e999` are no numbers: read as one, they would not come back the same. */
function look(text: string): BoundValue['type'] {
  if (INTEGER.test(text)) return 'BIGINT'
  if (FLOAT.test(text) && Number.isFinite(Number(text))) return 'DOUBLE'
  return text === 'true' || text === 'false' ? 'BOOLEAN' : 'VARCHAR'
}
