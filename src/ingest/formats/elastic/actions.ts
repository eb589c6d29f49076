import { Fault } from '../../../base/faults.ts'
import { NEWLINE, skipSpace } from '../../json/bytes.ts'

/** What a line of a bulk request asks for. Lines that are the same follow each other as the same object. */
export type Asked = {
  action: 'index' | 'create' | 'update' | 'delete'
  index: string | null
  id: string | null
}

/** The actions of a bulk request in its order: two lines, what is asked and the document; a delete has no document. */
export type Action = {
  asked: Asked
  /** Where the document stands; empty for a delete. */
  from: number
  to: number
}

const ACTIONS = ['index', 'create', 'update', 'delete'] as const

export const isStored = ({ action }: Asked): boolean => action === 'index' || action === 'create'

/** Throws a fault at the first action that cannot be read: nothing tells where the next one would begin. */
export function* actionsOf(body: Buffer): Generator<Action> {
  let at = skipSpace(body, 0)
  let asked: Asked | null = null
  let askedAt = 0
  let askedBytes = 0
  for (let number = 1; at < body.length; number++) {
    // Most requests ask for the same on every other line.
    let end = at + askedBytes
    if (asked === null || !isSameLine(body, askedAt, at, askedBytes)) {
      end = lineEnd(body, at)
      asked = readAction(body.toString('utf8', at, end))
      askedAt = at
      askedBytes = end - at
    }
    if (!asked)
      throw new Fault('bad_request', `Malformed action/metadata line [${number}]: expected an object with one action.`)
    const isDelete = asked.action === 'delete'
    const from = isDelete ? end : skipSpace(body, end)
    if (!isDelete && from === body.length)
      throw new Fault('bad_request', `The action of line [${number}] has no document.`)
    const to = isDelete ? end : lineEnd(body, from)
    yield { asked, from, to }
    at = skipSpace(body, to)
  }
}

/** Whether the line at `at` is that of `before`, which has so many bytes. */
function isSameLine(body: Buffer, before: number, at: number, bytes: number): boolean {
  const end = at + bytes
  if (end > body.length || (end < body.length && body[end] !== NEWLINE)) return false
  for (let i = 0; i < bytes; i++) if (body[before + i] !== body[at + i]) return false
  return true
}

function lineEnd(body: Buffer, from: number): number {
  const newline = body.indexOf(NEWLINE, from)
  return newline < 0 ? body.length : newline
}

function readAction(line: string): Asked | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof parsed !== 'object' || parsed === null) return null
  for (const action of ACTIONS) {
    const about: unknown = Reflect.get(parsed, action)
    if (typeof about === 'object' && about !== null)
      return { action, index: textOf(about, '_index'), id: textOf(about, '_id') }
  }
  return null
}

function textOf(object: object, name: string): string | null {
  const value: unknown = Reflect.get(object, name)
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}
