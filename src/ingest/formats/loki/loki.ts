import { Fault } from '../../../base/faults.ts'
import type { Shape } from '../../intake.ts'
import { printJson } from '../../json/print.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import type { Format, Headers } from '../format.ts'
import { isProtobuf, layoutOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { addAll, text } from '../values.ts'
import { assertSound, elementsOf, fieldAt } from '../walk.ts'
import { entryOf, streamsOf } from './protobuf.ts'

/** Labels that may name the source, the first that is there. */
const NAMING_LABELS = ['source_name', 'service_name', 'job']

/**
 * Grafana Loki's push: streams of lines, as JSON or as protobuf packed with snappy. The line is the message, the labels of
 * its stream are `labels`, what it brings itself is `metadata`; the same in both forms.
 */
export const loki: Format = {
  name: 'loki',
  hidesRefused: false,
  takesEmpty: true,
  isBinary: isProtobuf,
  packing: packingOf,
  check(headers) {
    if (!isProtobuf(headers) && layoutOf(headers) !== 'json')
      throw new Fault('unsupported_type', 'A push is sent as application/json or application/x-protobuf.')
  },
  time: () => undefined,
  show: (body, from, to) => printJson(entryOf(body, from, to)),
  async read(intake, { part, headers }) {
    const { body } = intake
    if (isProtobuf(headers)) {
      for (const { labels, entries } of streamsOf(body)) {
        if (part !== undefined && nameIn(labels) !== part) continue
        const shape = shapeOf(labels)
        for (const [from, to] of entries) {
          intake.made(from, to, () => shape(entryOf(body, from, to), from, to))
          if (intake.isDueToPause) await intake.pause()
        }
      }
      return
    }
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
  split(body, headers) {
    const names = new Set<string>()
    if (isProtobuf(headers)) {
      for (const { labels } of streamsOf(body)) names.add(nameIn(labels))
      return [...names]
    }
    parsedWhole(body, (reader) => {
      for (const stream of elementsOf(body, fieldAt(body, 0, 'streams'))) {
        const at = fieldAt(body, stream, 'stream', 'labels')
        names.add(nameIn(at < 0 ? null : reader.read(at)))
      }
    })
    return [...names]
  },
}

/** The protobuf form is packed with snappy, whether or not the header says so. */
function packingOf(headers: Headers): string | undefined {
  const sent = headers['content-encoding']
  const packing = typeof sent === 'string' ? sent.toLowerCase() : undefined
  if (!isProtobuf(headers) || packing?.split(',').some((coding) => coding.trim() === 'snappy')) return packing
  return packing === undefined ? 'snappy' : `snappy,${packing}`
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
