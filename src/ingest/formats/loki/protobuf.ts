import { JsonObject, type JsonValue } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { assertBody } from '../protobuf/body.ts'
import { message, messagesOf, readMessage } from '../protobuf/message.ts'
import { at, text } from '../values.ts'
import { parseLabels } from './labels.ts'

const Entry = message({
  1: ['timestamp', message({ 1: ['seconds', 'int'], 2: ['nanos', 'int'] })],
  2: ['line', 'text'],
  3: ['metadata', message({ 1: ['name', 'text'], 2: ['value', 'text'] }), 'list'],
})
const About = message({ 1: ['labels', 'text'] })
const Push = message({ 1: ['streams', message({ 1: ['labels', 'text'], 2: ['entries', Entry, 'list'] }), 'list'] })

const STREAMS = 1
const ENTRIES = 2

type Stream = { labels: JsonObject; entries: Iterable<[number, number]> }

/** The streams of a push; throws the fault of a body that is none. */
export function streamsOf(body: Buffer): Stream[] {
  assertBody(body, Push)
  return [...messagesOf(body, 0, body.length, STREAMS)].map(([from, to]) => ({
    labels: parseLabels(text(at(readMessage(body, from, to, About, MAX_DEPTH), 'labels'))),
    entries: messagesOf(body, from, to, ENTRIES),
  }))
}

/** An entry as it is in JSON: time, line, and metadata if there is any. */
export function entryOf(body: Buffer, from: number, to: number): JsonValue[] {
  const entry = readMessage(body, from, to, Entry, MAX_DEPTH)
  const read: JsonValue[] = [nanoseconds(at(entry, 'timestamp')), text(at(entry, 'line'))]
  const pairs = at(entry, 'metadata')
  if (!Array.isArray(pairs)) return read
  const metadata = new JsonObject()
  for (const pair of pairs) metadata.add(text(at(pair, 'name')), text(at(pair, 'value')))
  return [...read, metadata]
}

function nanoseconds(timestamp: JsonValue | undefined): JsonValue {
  if (timestamp === undefined) return null
  const [seconds, nanos] = [text(at(timestamp, 'seconds')) || '0', text(at(timestamp, 'nanos')) || '0']
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(nanos))
}
