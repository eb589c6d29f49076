import { Fault } from '../../../base/faults.ts'
import { JsonObject } from '../../json/value.ts'

const NAME = /[^\s=,{}"`]+/y
/** In double quotes with escapes, or in backquotes as it is. */
const VALUE = /"((?:[^"\\]|\\.)*)"|`([^`]*)`/sy
const SPACE = /\s*/y
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))/gs
const LETTERS: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' }

/** The labels of a stream as protobuf writes them: `{job="web", level="info"}`. */
export function parseLabels(sent: string): JsonObject {
  const labels = new JsonObject()
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(sent)
    if (found) at = pattern.lastIndex
    return found
  }
  const isNext = (sign: string): boolean => {
    match(SPACE)
    if (sent[at] !== sign) return false
    at++
    match(SPACE)
    return true
  }
  const fail = (): never => {
    throw new Fault('bad_request', `The labels of a stream cannot be read at character ${at}: ${sent.slice(0, 200)}`)
  }
  if (sent.trim() === '') return labels
  if (!isNext('{')) fail()
  while (!isNext('}')) {
    const name = match(NAME)?.[0] ?? fail()
    if (!isNext('=')) fail()
    const value = match(VALUE) ?? fail()
    labels.add(name, value[2] ?? unescaped(value[1] ?? ''))
    if (!isNext(',') && sent[at] !== '}') fail()
  }
  if (at < sent.length) fail()
  return labels
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(ESCAPE, (_, short?: string, long?: string, byte?: string, letter = '') => {
    const code = short ?? long ?? byte
    if (code === undefined) return LETTERS[letter] ?? letter
    const number = Number.parseInt(code, 16)
    return number > 0x10ffff ? '\ufffd' : String.fromCodePoint(number)
  })
}
