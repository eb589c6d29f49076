import { Fault } from '../../../base/faults.ts'
import type { Shape } from '../../intake.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { addAll, text } from '../values.ts'
import { assertSound, elementsOf, fieldAt } from '../walk.ts'

/** Labels that may name the source, the first that is there. */
const NAMING_LABELS = ['source_name', 'service_name', 'job']

/**
 * Grafana Loki's push as JSON: streams of `[time, line, metadata]`. The line is the message, the labels of its stream
 * are `labels`, what it brings itself is `metadata`.
 *
 * Refuses: the protobuf form (415), which senders use unless they are told to send JSON.
 */
export const loki: Format = {
  name: 'loki',
  hidesRefused: false,
  takesEmpty: true,
  check(headers) {
    if (layoutOf(headers) !== 'json') throw new Fault('unsupported_type', 'A push is sent as application/json.')
  },
  time: () => undefined,
  async read(intake, { part }) {
    const { body } = intake
    await assertSound(intake)
    for (const stream of elementsOf(body, fieldAt(body, 0, 'streams'))) {
      const at = fieldAt(body, stream, 'stream', 'labels')
      const labels = at < 0 ? null : intake.valueAt(at)
      if (part !== undefined && nameIn(labels) !== part) continue
      const shape = shapeOf(labels)
      for (const entry of elementsOf(body, fieldAt(body, stream, 'values', 'entries'))) {
        intake.event(entry, shape)
        if (intake.isDueToPause) await intake.pause()
      }
    }
  },
  split(body) {
    const names = new Set<string>()
    parsedWhole(body, (reader) => {
      for (const stream of elementsOf(body, fieldAt(body, 0, 'streams'))) {
        const at = fieldAt(body, stream, 'stream', 'labels')
        names.add(nameIn(at < 0 ? null : reader.read(at)))
      }
    })
    return [...names]
  },
}

function nameIn(labels: JsonValue): string {
  if (!(labels instanceof JsonObject)) return ''
  for (const name of NAMING_LABELS) {
    const index = labels.names.indexOf(name)
    const value = index < 0 ? '' : text(labels.values[index])
    if (value !== '') return value
  }
  return ''
}

function shapeOf(labels: JsonValue): Shape {
  return (value) => {
    // What is no entry is refused as such by the pipeline.
    if (!Array.isArray(value) || value.length < 2) return null
    const [time = null, line = null, metadata] = value
    const event = new JsonObject().add('timestamp', time).add('message', line)
    if (labels instanceof JsonObject) event.add('labels', addAll(new JsonObject(), labels))
    return metadata instanceof JsonObject ? event.add('metadata', metadata) : event
  }
}
