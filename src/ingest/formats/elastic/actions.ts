import { Fault } from '../../../base/faults.ts'
import { NEWLINE, skipSpace } from '../../json/bytes.ts'

/** What a bulk request asks for, in its order: two lines, the action and its document; a delete has no document. */
export type Action = {
  action: 'index' | 'create' | 'update' | 'delete'
  index: string | null
  id: string | null
  /** Where the document stands; empty for a delete. */
  from: number
  to: number
}

const ACTIONS = ['index', 'create', 'update', 'delete'] as const

export const isStored = ({ action }: Action): boolean => action === 'index' || action === 'create'

/** Throws a fault at the first action that cannot be read: nothing tells where the next one would begin. */
export function* actionsOf(body: Buffer): Generator<Action> {
  let at = skipSpace(body, 0)
  for (let number = 1; at < body.length; number++) {
    const end = lineEnd(body, at)
    const read = readAction(body.toString('utf8', at, end))
    if (!read)
      throw new Fault('bad_request', `Malformed action/metadata line [${number}]: expected an object with one action.`)
    const from = read.action === 'delete' ? end : skipSpace(body, end)
    const to = read.action === 'delete' ? end : lineEnd(body, from)
    if (read.action !== 'delete' && from === body.length)
      throw new Fault('bad_request', `The action of line [${number}] has no document.`)
    yield { ...read, from, to }
    at = skipSpace(body, to)
  }
}

function lineEnd(body: Buffer, from: number): number {
  const newline = body.indexOf(NEWLINE, from)
  return newline < 0 ? body.length : newline
}

function readAction(line: string): Pick<Action, 'action' | 'index' | 'id'> | null {
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
