import { parseCopyRules } from '../../model/rules/copy.ts'
import { parseEnrichRules } from '../../model/rules/enrich.ts'
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'
import { Refusal } from '../refusal.ts'
import { Drops } from '../scan/drops.ts'
import type { Uuids } from '../scan/uuids.ts'
import { fitEvent } from '../schema/fit.ts'
import type { SourceFields } from '../schema/source-fields.ts'
import type { IngestSource } from '../source.ts'
import { cleanFields } from './clean.ts'
import { createCopy } from './copy.ts'
import { createDrop, droppedPaths } from './drop.ts'
import { createEnrich } from './enrich.ts'
import { Naming } from './keys.ts'
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
  /** Fits the event to the source's fields, which grow with it. */
  fit(event: JsonObject, fields: SourceFields): FittedEvent
  /** Whether events must come this way even when their bytes would do. */
  readonly isNeeded: boolean
  readonly usesKeyValues: boolean
  /** Fields that are dropped without anyone having read them. */
  readonly unread: Drops | null
}

/** An event as it is stored, but for its id and its timestamp, which stand beside it in a row. */
export type FittedEvent = { id: string; timestampUs: number; stored: JsonObject; unfitCount: number }

export type Pipelines = { of(source: IngestSource): Pipeline }

type Parts = { uuids: Uuids; naming: Naming }

export function createPipelines({ uuids }: { uuids: Uuids }): Pipelines {
  const parts = { uuids, naming: new Naming() }
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

function createPipeline(source: IngestSource, { uuids, naming }: Parts): Pipeline {
  const standardise = createStandardise({ uuids })
  const enrich = createEnrich(source.transform_key_values ?? '', naming)
  const steps = [
    createCopy(source.transform_copy_fields ?? ''),
    enrich,
    createDrop(source.transform_drop_fields ?? ''),
    createMessageKeys(source.custom_event_message_keys ?? ''),
  ].filter((step) => step !== null)

  return {
    isNeeded: steps.length > 0,
    usesKeyValues: enrich !== null,
    unread: unreadDrops(source),

    prepare(sent, arrival) {
      const whole = typeof sent === 'string' ? new JsonObject().add('message', sent) : sent
      if (!(whole instanceof JsonObject)) return new Refusal('is not an object')
      const draft = standardise(whole, arrival)
      if (draft instanceof Refusal) return draft
      const cleaned = cleanFields(draft.rest)
      const problem = checkShape(cleaned)
      if (problem) return problem
      const named = naming.fields(cleaned, STANDARD_NAMES)
      const event = draft.standard
      for (let i = 0; i < named.size; i++) event.add(named.names[i]!, named.values[i]!)
      return event
    },

    transform(event, lookup) {
      for (const step of steps) step(event, lookup)
    },

    fit(event, fields) {
      const id = event.get('id')
      const timestamp = event.get('timestamp')
      if (typeof id !== 'string' || !(timestamp instanceof NumberText)) throw new Error('the event was not prepared')
      // A rule may have written `message` where there was none: alone, it is the message.
      const alone = event.indexOf('event_message') < 0 ? event.indexOf('message') : -1
      if (alone >= 0) event.names[alone] = 'event_message'
      const { fields: stored, unfitCount } = fitEvent(event, fields, source.lock_schema)
      return { id, timestampUs: Number(timestamp.text), stored, unfitCount }
    },
  }
}

/** What is dropped, but for fields that another setting looks at first. */
function unreadDrops(source: IngestSource): Drops | null {
  if (source.custom_event_message_keys !== null) return null
  const read = [
    ...parseCopyRules(source.transform_copy_fields ?? '').map(({ from }) => from),
    ...parseEnrichRules(source.transform_key_values ?? '').map(({ lookup }) => lookup),
  ]
  const paths = droppedPaths(source.transform_drop_fields ?? '').filter(
    (path) => !read.some((other) => overlap(path, other)),
  )
  return paths.length === 0 ? null : new Drops(paths)
}

/** Whether one of the paths leads through the other. */
function overlap(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i]!.toLowerCase() !== b[i]!.toLowerCase()) return false
  return true
}
