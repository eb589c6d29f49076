import { Fault } from '../../../base/faults.ts'
import { printJson } from '../../json/print.ts'
import type { Format, Headers } from '../format.ts'
import { isProtobuf, layoutOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { SharedBytes } from '../shared-bytes.ts'
import { elementsOf, fieldAt } from '../walk.ts'
import { Entries } from './entries.ts'
import { readJson } from './json.ts'
import { entryOf, streamsOf } from './protobuf.ts'
import { nameIn, shapeOf } from './streams.ts'

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
    if (!isProtobuf(headers)) return readJson(intake, part)
    const { body } = intake
    const written = new Entries(intake)
    const shared = new SharedBytes('Labels')
    for (const { labels, entries } of streamsOf(body)) {
      if (part !== undefined && nameIn(labels) !== part) continue
      const shape = shapeOf(labels)
      written.enter(labels)
      shared.enter(labels)
      for (const [from, to] of entries) {
        shared.count()
        if (!written.takenMessage(from, to)) intake.made(from, to, () => shape(entryOf(body, from, to), from, to))
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
