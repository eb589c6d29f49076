import { printJson, printString } from '../json/print.ts'
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'
import { Refusal } from '../refusal.ts'
import type { Rows } from '../scan/rows.ts'
import type { Uuids } from '../scan/uuids.ts'
import { fitEvent } from '../schema/fit.ts'
import type { Schemas } from '../schema/schemas.ts'
import type { IngestSource } from '../source.ts'
import { cleanFields } from './clean.ts'
import { createCopy } from './copy.ts'
import { createDrop } from './drop.ts'
import { createEnrich } from './enrich.ts'
import { nameFields } from './keys.ts'
import { createMessageKeys } from './message-keys.ts'
import { checkShape } from './shape.ts'
import { type Arrival, createStandardise, STANDARD_NAMES } from './standard.ts'
import type { Lookup } from './step.ts'

/**
 * The pipeline of one source, for events that cannot be stored as the bytes they came in. This file is the order of
 * the steps; each step is a file beside it.
 *
 * Promises: an event is either refused before anything changed, or stored with every value the sender gave it.
 */
export type Pipeline = {
  /** The sender's event with the standard fields and legal names, or why it is refused. */
  prepare(sent: JsonValue, arrival: Arrival): JsonObject | Refusal
  /** Copy, enrichment, drop and the composed message, as the settings of this source say. */
  transform(event: JsonObject, lookup: Lookup): void
  /** Fits the event to the source's fields and writes its row; answers how many values did not fit. */
  store(event: JsonObject, rows: Rows): number
  /** Whether events must come this way even when their bytes would do. */
  readonly isNeeded: boolean
  readonly usesKeyValues: boolean
}

export type Pipelines = { of(source: IngestSource): Pipeline }

export function createPipelines(parts: { schemas: Schemas; uuids: Uuids }): Pipelines {
  const pipelines = new WeakMap<IngestSource, Pipeline>()
  return {
    of(source) {
      let pipeline = pipelines.get(source)
      if (!pipeline) {
        pipeline = createPipeline(source, parts)
        pipelines.set(source, pipeline)
      }
      return pipeline
    },
  }
}

function createPipeline(source: IngestSource, { schemas, uuids }: { schemas: Schemas; uuids: Uuids }): Pipeline {
  const standardise = createStandardise({ uuids })
  const enrich = createEnrich(source.transform_key_values ?? '')
  const steps = [
    createCopy(source.transform_copy_fields ?? ''),
    enrich,
    createDrop(source.transform_drop_fields ?? ''),
    createMessageKeys(source.custom_event_message_keys ?? ''),
  ].filter((step) => step !== null)

  return {
    isNeeded: steps.length > 0,
    usesKeyValues: enrich !== null,

    prepare(sent, arrival) {
      const whole = typeof sent === 'string' ? new JsonObject().add('message', sent) : sent
      if (!(whole instanceof JsonObject)) return new Refusal('is not an object')
      const draft = standardise(whole, arrival)
      if (draft instanceof Refusal) return draft
      const cleaned = cleanFields(draft.rest)
      const problem = checkShape(cleaned)
      if (problem) return problem
      const named = nameFields(cleaned, STANDARD_NAMES)
      const event = draft.standard
      for (let i = 0; i < named.size; i++) event.add(named.names[i]!, named.values[i]!)
      return event
    },

    transform(event, lookup) {
      for (const step of steps) step(event, lookup)
    },

    store(event, rows) {
      const { id, timestampUs, message, rest } = takeStandard(event)
      const fields = schemas.of(source.token)
      const fitted = fitEvent(rest, fields, source.lock_schema)
      if (fields.hasFresh) fields.settle(schemas.isSampled(source.token))
      const stored = new JsonObject()
      if (message !== undefined) stored.add('event_message', message)
      for (let i = 0; i < fitted.fields.size; i++) stored.add(fitted.fields.names[i]!, fitted.fields.values[i]!)
      rows.write(printString(id), timestampUs, printJson(stored))
      return fitted.unfitCount
    },
  }
}

/** The event without `id` and `timestamp`, which stand beside it in the row, and without its message. */
function takeStandard(event: JsonObject) {
  const id = event.get('id')
  const timestamp = event.get('timestamp')
  if (typeof id !== 'string' || !(timestamp instanceof NumberText)) throw new Error('the event was not prepared')
  const rest = new JsonObject()
  let message: JsonValue | undefined
  for (let i = 0; i < event.size; i++) {
    const name = event.names[i]!
    const value = event.values[i]!
    if (name === 'event_message') message = value
    else if (name !== 'id' && name !== 'timestamp') rest.add(name, value)
  }
  // A rule may have written `message` where there was none: alone, it is the message.
  const alone = message === undefined ? rest.indexOf('message') : -1
  if (alone >= 0) {
    message = rest.values[alone]
    rest.deleteAt(alone)
  }
  return { id, timestampUs: Number(timestamp.text), message, rest }
}
