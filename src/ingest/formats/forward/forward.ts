/**
 * Messages of Fluent's forward protocol, as Fluentd and Fluent Bit send them: one event, a list of events, or events
 * packed into bytes, plain or compressed. Their events become lines of JSON, which then take the way of all lines.
 *
 * The tag of a message is kept as `tag` of its events. The time of an event is its `timestamp` unless it has one; `log`,
 * where the tail input puts the line, is its message unless it has one.
 */
import { Fault } from '../../../base/faults.ts'
import { decodeBody } from '../../decode.ts'
import { printJson } from '../../json/print.ts'
import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'
import { MAX_EVENT_BYTES, MAX_EVENTS } from '../../limits.ts'
import { Refusal } from '../../refusal.ts'
import { asJson, asText, EventTime, type Packed, PackedReader } from './msgpack.ts'

export type ForwardMessage = {
  tag: string
  /** One line of JSON for each event, or why it cannot be stored. */
  lines: (string | Refusal)[]
  /** With which the sender wants to be told that they are stored. */
  chunk: string | null
}

const MAX_TAG_BYTES = 1_024
const MAX_OPTION_BYTES = 65_536

/** Null: a sign of life without events. */
export async function readForward(bytes: Buffer): Promise<ForwardMessage | null> {
  const reader = new PackedReader(bytes)
  if (bytes[0] === NIL) return null
  const size = reader.enterList()
  if (size < 2) throw broken('a message is a list of tag and events')
  const tag = asText(small(reader, MAX_TAG_BYTES, 'tag'))
  if (reader.isAtBytes) {
    const packed = reader.read()
    const options = optionsOf(reader, size - 2)
    const entries = await unpacked(Buffer.isBuffer(packed) ? packed : Buffer.from(asText(packed)), options)
    return { tag, lines: linesOf(new PackedReader(entries), tag, MAX_EVENTS), chunk: chunkOf(options) }
  }
  if (reader.isAtList && !isTimeAt(bytes, reader.at)) {
    const count = reader.enterList()
    const lines = linesOf(reader, tag, count)
    if (lines.length < count) throw broken('it has fewer entries than it says')
    return { tag, lines, chunk: chunkOf(optionsOf(reader, size - 2)) }
  }
  if (size < 3) throw broken('an event needs a time and a record')
  const line = lineOf(tag, small(reader, MAX_OPTION_BYTES, 'time'), reader.readUpTo(MAX_EVENT_BYTES)?.value)
  return { tag, lines: [line], chunk: chunkOf(optionsOf(reader, size - 3)) }
}

const NIL = 0xc0

/** Fluent Bit puts what it knows beside the time: a list that begins with no list. */
function isTimeAt(bytes: Buffer, at: number): boolean {
  const inside = new PackedReader(bytes, at)
  return inside.enterList() === 2 && !inside.isAtList
}

/** Entries up to the end or up to a number; more than a request may have are too many. */
function linesOf(reader: PackedReader, tag: string, count: number): (string | Refusal)[] {
  const lines: (string | Refusal)[] = []
  while (lines.length < count && !reader.isAtEnd) {
    const entry = reader.readUpTo(MAX_EVENT_BYTES)
    if (entry && (!Array.isArray(entry.value) || entry.value.length < 2))
      throw broken('an entry is a list of time and record')
    const [time = null, record] = entry && Array.isArray(entry.value) ? entry.value : []
    lines.push(lineOf(tag, time, record))
    if (lines.length > MAX_EVENTS) break
  }
  if (lines.length >= MAX_EVENTS && !reader.isAtEnd)
    throw new Fault('too_large', `A message has over ${MAX_EVENTS} events. Send smaller chunks.`)
  return lines
}

async function unpacked(bytes: Buffer, options: Map<string, Packed>): Promise<Buffer> {
  const compressed = asText(options.get('compressed') ?? '')
  return compressed === '' || compressed === 'text' ? bytes : decodeBody(bytes, compressed, undefined, true)
}

/** Without a record the entry had too many bytes to be read. */
function lineOf(tag: string, head: Packed, record: Packed | undefined): string | Refusal {
  if (record === undefined) return new Refusal('is over 1 MB')
  if (!(record instanceof Map)) return new Refusal('is not a map')
  return printJson(eventOf(tag, Array.isArray(head) ? (head[0] ?? null) : head, record))
}

function eventOf(tag: string, time: Packed, record: Map<string, Packed>): JsonObject {
  const event = new JsonObject()
  if (!record.has('timestamp')) {
    const sent = timeOf(time)
    if (sent !== null) event.add('timestamp', sent)
  }
  const hasMessage = record.has('message') || record.has('event_message')
  for (const [name, value] of record) event.add(name === 'log' && !hasMessage ? 'message' : name, asJson(value))
  return event.add(record.has('tag') ? 'fluent_tag' : 'tag', tag)
}

/** Zero is how senders say that they know no time. */
function timeOf(time: Packed): JsonValue {
  if (time instanceof EventTime) return time.seconds === 0 ? null : new NumberText(time.text)
  return time instanceof NumberText && Number(time.text) > 0 ? time : null
}

function optionsOf(reader: PackedReader, values: number): Map<string, Packed> {
  const options = values > 0 ? small(reader, MAX_OPTION_BYTES, 'option') : null
  return options instanceof Map ? options : new Map()
}

function small(reader: PackedReader, maxBytes: number, what: string): Packed {
  const read = reader.readUpTo(maxBytes)
  if (!read) throw broken(`its ${what} is over ${maxBytes} bytes`)
  return read.value
}

function chunkOf(options: Map<string, Packed>): string | null {
  const chunk = options.get('chunk')
  return chunk === undefined || chunk === null ? null : asText(chunk)
}

const broken = (what: string): Fault => new Fault('bad_request', `The message is not of the forward protocol: ${what}.`)
