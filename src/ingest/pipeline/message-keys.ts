import { type Accessor, parseAccessor, readAccessor } from '../../model/rules/accessor.ts'
import { printJson } from '../json/print.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { valueAt } from './paths.ts'
import type { Step } from './step.ts'

/**
 * Composes the message from fields: `message, m.host, amount` gives `paid | "w1" | 12`. The id and the message stand
 * as they are (a missing message is left out), any other value as JSON, a missing one as `null`.
 */
export function createMessageKeys(setting: string): Step | null {
  const pieces = setting
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
    .map(createPiece)
  if (pieces.length === 0) return null
  return function composeMessage(event: JsonObject): void {
    const texts = pieces.map((piece) => piece(event)).filter((text) => text !== undefined)
    if (texts.length > 0) event.set('event_message', texts.join(' | '))
  }
}

type Piece = (event: JsonObject) => string | undefined

function createPiece(key: string): Piece {
  if (key === 'id') return (event) => plainText(event.opened('id'))
  if (key === 'message' || key === 'event_message') return (event) => plainText(event.opened('event_message'))
  const path = key.startsWith('m.') ? `metadata.${key.slice(2)}` : key
  const accessor = parseAccessor(path)
  // A key that cannot be read selects nothing; it must not cost the event its other pieces.
  if ('problem' in accessor) return () => 'null'
  const names = plainNames(accessor)
  if (names) return (event) => printJson(valueAt(event, names) ?? null)
  return (event) => JSON.stringify(readAccessor(accessor, JSON.parse(printJson(event))) ?? null)
}

const plainText = (value: JsonValue | undefined): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : printJson(value)

/** The names of a path that has nothing else; such a path reads numbers exactly as they were sent. */
function plainNames(accessor: Accessor): string[] | null {
  const names: string[] = []
  for (const step of accessor.steps) {
    if (step.kind !== 'name') return null
    names.push(step.name)
  }
  return names
}
