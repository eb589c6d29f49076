import { isUtf8 } from 'node:buffer'
import { Fault } from '../../../base/faults.ts'
import type { Headers } from '../format.ts'
import { typeOf } from '../media.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'

export const isForm = (headers: Headers): boolean => typeOf(headers) === FORM_TYPE

const FIELD = Buffer.from('payload=')
const AND = 0x26
const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** The JSON in the field `payload` of a form: how GitHub sends what it sends as a form. Other fields are passed over. */
export function payloadOf(body: Buffer): Buffer {
  for (let from = 0; from < body.length; ) {
    const and = body.indexOf(AND, from)
    const to = and < 0 ? body.length : and
    if (body.subarray(from, from + FIELD.length).equals(FIELD)) return decoded(body, from + FIELD.length, to)
    from = to + 1
  }
  throw new Fault(
    'bad_request',
    'The form has no field payload. Send the webhook as GitHub does, or as application/json.',
  )
}

/** A percent sign without two digits stands for itself. */
function decoded(body: Buffer, from: number, to: number): Buffer {
  const out = Buffer.allocUnsafe(to - from)
  let length = 0
  for (let at = from; at < to; at++) {
    const byte = body[at]!
    const high = byte === PERCENT && at + 2 < to ? digit(body[at + 1]!) : -1
    const low = high < 0 ? -1 : digit(body[at + 2]!)
    if (low >= 0) {
      out[length++] = high * 16 + low
      at += 2
    } else out[length++] = byte === PLUS ? SPACE : byte
  }
  const text = out.subarray(0, length)
  return isUtf8(text) ? text : Buffer.from(text.toString('utf8'))
}

function digit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
