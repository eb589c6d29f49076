import { Fault } from '../../../base/faults.ts'
import type { Shape } from '../../intake.ts'
import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'
import { readJsonBody } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { at } from '../values.ts'

/**
 * A batch whose events say which of their texts are numbers:
 * `{"batch":[{"body":{…},"typecasts":[{"path":["a","b"],"from":"string","to":"float"}]}]}`. A text that is no number
 * stays as it is, and so does what a cast of another kind points at.
 */
export const typecasts: Format = {
  name: 'typecasts',
  hidesRefused: false,
  check(headers) {
    if (layoutOf(headers) !== 'json') throw new Fault('unsupported_type', 'A batch is sent as application/json.')
  },
  time: () => undefined,
  read: (intake) => readJsonBody(intake, { unwrapsBatch: true, element: shape, single: shape }),
}

const shape: Shape = (value) => {
  const body = at(value, 'body')
  if (!(body instanceof JsonObject)) return value
  const casts = at(value, 'typecasts')
  for (const cast of Array.isArray(casts) ? casts : []) {
    const path = at(cast, 'path')
    if (at(cast, 'from') === 'string' && at(cast, 'to') === 'float' && Array.isArray(path)) castAt(body, path)
  }
  return body
}

function castAt(body: JsonObject, path: JsonValue[]): void {
  const names = path.filter((name) => typeof name === 'string')
  const last = names.pop()
  const holder = at(body, ...names)
  if (last === undefined || names.length !== path.length - 1 || !(holder instanceof JsonObject)) return
  const index = holder.names.indexOf(last)
  const value = index < 0 ? undefined : holder.values[index]
  if (typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value))
    holder.values[index] = new NumberText(floatText(value))
}

/** The digits as sent, written as JSON writes a number with a fraction. */
function floatText(digits: string): string {
  const plain = digits.replace(/^(-?)0+(?=\d)/, '$1')
  return /[.eE]/.test(plain) ? plain : `${plain}.0`
}
