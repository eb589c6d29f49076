import { JsonReader } from '../json/read.ts'
import { JsonObject, type JsonValue, NumberText, Sent } from '../json/value.ts'
import { MAX_DEPTH } from '../limits.ts'
import type { SourceFields } from '../schema/source-fields.ts'
import { FIT, type FieldNode, type Level } from '../schema/tree.ts'
import type { Scan } from './scan.ts'

/**
 * An event that just came through the scan, for the steps of the pipeline: its standard fields, and its other fields as
 * bytes that are only opened where a rule looks. The scan has checked all that the pipeline would check before the
 * rules, so nothing else needs to be done. To be used up before the next scan of the same source.
 */
export function sentEvent(
  bytes: Buffer,
  scan: Scan,
  fields: SourceFields,
  id: string,
  timestampUs: number,
): JsonObject {
  const event = new JsonObject()
  event.add('id', id)
  event.add('timestamp', new NumberText(String(timestampUs)))
  const hasEventMessage = fields.eventMessage.seenIn === scan.firstObject
  let field = fields.root.first
  for (let at = -1; isNext(field, scan.firstObject, at); field = field.next) {
    at = field.valueAt
    if (field.fit === FIT.id || field.fit === FIT.timestamp) continue
    // Alone, `message` is the message.
    const name = field.fit === FIT.message && !hasEventMessage ? 'event_message' : field.name
    event.add(name, new SentField(bytes, field))
  }
  return event
}

/**
 * The scan leaves the order of an object's fields in the chain of their nodes. The chain goes on to what followed in
 * some earlier event; those fields were not seen in this object, or stand before.
 */
function isNext(field: FieldNode | null, object: number, after: number): field is FieldNode {
  return field !== null && field.seenIn === object && field.valueAt > after
}

class SentField extends Sent {
  readonly #level: Level | null

  constructor(bytes: Buffer, field: FieldNode) {
    super(bytes, field.valueAt, field.valueTo, field)
    this.#level = field.fit === FIT.object ? field.level : null
  }

  open(): Exclude<JsonValue, Sent> {
    if (this.#level === null) return this.read()
    const object = new JsonObject()
    let field = this.#level.first
    const number = field?.seenIn ?? 0
    for (let at = -1; isNext(field, number, at); field = field.next) {
      at = field.valueAt
      object.add(field.name, new SentField(this.bytes, field))
    }
    return object
  }

  read(): Exclude<JsonValue, Sent> {
    return new JsonReader(this.bytes, MAX_DEPTH, null).read(this.from)
  }
}
