import type { Shape } from '../../intake.ts'
import { JsonObject } from '../../json/value.ts'
import type { Format } from '../format.ts'
import { actionsOf, isStored } from './actions.ts'
import { Documents } from './documents.ts'

/**
 * Elasticsearch's `_bulk`: pairs of lines, an action and a document. `index` and `create` store the document, with
 * `@timestamp` as its time and `_id` as its id when it has no others; the index names the source. The content type
 * does not matter.
 *
 * Stored events do not change, so `update` and `delete` are not taken; whoever answers tells so.
 */
export const elastic: Format = {
  name: 'elastic',
  hidesRefused: false,
  check: () => {},
  time: () => undefined,
  async read(intake, { part }) {
    const documents = new Documents(intake)
    for (const { asked, from, to } of actionsOf(intake.body)) {
      if (!isStored(asked) || (part !== undefined && (asked.index ?? '') !== part)) continue
      if (!documents.taken(from, to, asked.id)) intake.line(from, to, shapeOf(asked.id))
      if (intake.isDueToPause) await intake.pause()
    }
  },
  split(body) {
    const names = new Set<string>()
    for (const { asked } of actionsOf(body)) if (isStored(asked)) names.add(asked.index ?? '')
    return [...names]
  },
}

function shapeOf(id: string | null): Shape {
  return (value) => {
    if (!(value instanceof JsonObject)) return null
    const isTimed = value.names.includes('timestamp')
    const event = new JsonObject()
    if (id !== null && !value.names.includes('id')) event.add('id', id)
    for (let i = 0; i < value.size; i++) {
      const name = value.names[i]!
      event.add(name === '@timestamp' && !isTimed ? 'timestamp' : name, value.values[i]!)
    }
    return event
  }
}
