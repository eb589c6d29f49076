/**
 * Messages of Protocol Buffers as the JSON that stands for them, so that a format with both forms needs one mapping. A
 * message is described by a table of its fields; fields that are not in the table are skipped.
 *
 * Promises: the same value as the JSON form of the same data: 64-bit integers as text, bytes as hex or base64, text that is no
 * UTF-8 with replacement characters. Lists of numbers may be packed or not.
 * Refuses: what the wire reader refuses, a field whose wire type is not that of its table, messages nested too deep.
 */
import { BrokenProtobuf, Fields, LENGTH, signedText, unsignedText, zigzagText } from '../../../base/protobuf/wire.ts'
import { TooDeep } from '../../json/read.ts'
import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'

/** How the bytes of a field are read. */
export type Reading =
  | 'text'
  | 'hex'
  | 'base64'
  | 'bool'
  | 'int'
  | 'uint'
  | 'sint'
  | 'fixed64'
  | 'sfixed64'
  | 'double'
  | Message

export type MessageField = { name: string; reading: Reading; isList: boolean }

/** By field number. `isOneOf`: of all its fields the last one counts. */
export type Message = { readonly fields: (MessageField | undefined)[]; readonly isOneOf: boolean }

export type Table = Record<number, [name: string, reading: Reading, list?: 'list']>

export function message(table: Table, { isOneOf = false } = {}): Message {
  const described: Message = { fields: [], isOneOf }
  extend(described, table)
  return described
}

/** For messages that contain themselves. */
export function extend(described: Message, table: Table): void {
  for (const [number, [name, reading, list]] of Object.entries(table))
    described.fields[Number(number)] = { name, reading, isList: list === 'list' }
}

/** Wire types: 0 varint, 1 of 8 bytes, 2 with a length. */
const WIRE_TYPES = { text: 2, hex: 2, base64: 2, bool: 0, int: 0, uint: 0, sint: 0, fixed64: 1, sfixed64: 1, double: 1 }

const WRONG_TYPE = 'a field has the wrong wire type'

const wireTypeOf = (reading: Reading): number => (typeof reading === 'string' ? WIRE_TYPES[reading] : LENGTH)

/** Messages within messages, however few bytes they take. */
export const MAX_MESSAGES_DEEP = 100

/** The message from `from` to `to`. Deeper than `depth` is `TooDeep`, counted as in JSON, where a list is a level too. */
export function readMessage(bytes: Buffer, from: number, to: number, described: Message, depth: number): JsonObject {
  if (depth <= 0) throw new TooDeep()
  const read = new JsonObject()
  const fields = new Fields(bytes, from, to)
  while (fields.next()) {
    const known = described.fields[fields.field]
    if (known === undefined) continue
    const { name, reading, isList } = known
    if (isList) {
      const list = listOf(read, name)
      if (isPacked(fields, reading)) readPacked(fields, reading, list)
      else list.push(readValue(fields, reading, depth - 1))
      continue
    }
    const value = readValue(fields, reading, depth)
    const index = read.names.indexOf(name)
    if (described.isOneOf) {
      read.names[0] = name
      read.values[0] = value
    } else if (index < 0) read.add(name, value)
    else read.values[index] = value
  }
  return read
}

function listOf(read: JsonObject, name: string): JsonValue[] {
  const found = read.values[read.names.indexOf(name)]
  if (Array.isArray(found)) return found
  const list: JsonValue[] = []
  read.add(name, list)
  return list
}

function readValue(fields: Fields, reading: Reading, depth: number): JsonValue {
  assertType(fields, reading)
  const { bytes, from, to, low, high } = fields
  if (typeof reading !== 'string') return readMessage(bytes, from, to, reading, depth - 1)
  switch (reading) {
    case 'text':
      return bytes.toString('utf8', from, to)
    case 'hex':
      return bytes.toString('hex', from, to)
    case 'base64':
      return bytes.toString('base64', from, to)
    case 'bool':
      return low !== 0 || high !== 0
    case 'int':
    case 'sfixed64':
      return signedText(low, high)
    case 'uint':
    case 'fixed64':
      return unsignedText(low, high)
    case 'sint':
      return zigzagText(low, high)
    case 'double':
      return doubleText(bytes.readDoubleLE(from))
  }
}

/** What JSON has no number for is text, in both forms. */
function doubleText(value: number): JsonValue {
  return Number.isFinite(value) ? new NumberText(floatText(value)) : String(value)
}

/** A double is a double also when it is whole. */
export function floatText(value: number): string {
  const text = String(value)
  return Number.isInteger(value) && !text.includes('e') ? `${Object.is(value, -0) ? '-0' : text}.0` : text
}

const isPacked = ({ type }: Fields, reading: Reading): boolean => type === LENGTH && wireTypeOf(reading) !== LENGTH

function readPacked({ bytes, from, to }: Fields, reading: Reading, into: JsonValue[]): void {
  if (wireTypeOf(reading) === 1) {
    if ((to - from) % 8 !== 0) throw new BrokenProtobuf(from, 'a list of numbers ends inside one')
    for (let at = from; at < to; at += 8) {
      const [low, high] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
      if (reading === 'double') into.push(doubleText(bytes.readDoubleLE(at)))
      else into.push(reading === 'fixed64' ? unsignedText(low, high) : signedText(low, high))
    }
    return
  }
  for (const [low, high] of varints(bytes, from, to)) {
    if (reading === 'uint') into.push(unsignedText(low, high))
    else into.push(reading === 'sint' ? zigzagText(low, high) : signedText(low, high))
  }
}

function* varints(bytes: Buffer, from: number, to: number): Generator<[number, number]> {
  for (let at = from; at < to; ) {
    let [low, high, shift] = [0n, 0, 0n]
    const start = at
    for (;;) {
      if (at >= to || at - start >= 10) throw new BrokenProtobuf(start, 'a list of numbers ends inside one')
      const byte = bytes[at++]!
      low |= BigInt(byte & 0x7f) << shift
      shift += 7n
      if (byte < 0x80) break
    }
    high = Number((low >> 32n) & 0xffff_ffffn)
    yield [Number(low & 0xffff_ffffn), high]
  }
}

function assertType({ type, from }: Fields, reading: Reading): void {
  if (type !== wireTypeOf(reading)) throw new BrokenProtobuf(from, WRONG_TYPE)
}

/**
 * Throws unless every message of the range that the table knows can be read. Events are only taken from a body of which
 * that is known, or a broken one would leave a trace.
 */
export function assertMessage(bytes: Buffer, from: number, to: number, described: Message, depth = 0): void {
  if (depth > MAX_MESSAGES_DEEP) throw new BrokenProtobuf(from, `messages are nested deeper than ${MAX_MESSAGES_DEEP}`)
  const fields = new Fields(bytes, from, to)
  while (fields.next()) {
    const known = described.fields[fields.field]
    if (known === undefined) continue
    const { reading, isList } = known
    if (isList && isPacked(fields, reading)) {
      readPacked(fields, reading, [])
      continue
    }
    assertType(fields, reading)
    if (typeof reading !== 'string') assertMessage(bytes, fields.from, fields.to, reading, depth + 1)
  }
}

/** Where the messages of a field stand. */
export function* messagesOf(bytes: Buffer, from: number, to: number, field: number): Generator<[number, number]> {
  const fields = new Fields(bytes, from, to)
  while (fields.next()) {
    if (fields.field !== field) continue
    assertLength(fields)
    yield [fields.from, fields.to]
  }
}

/** Throws unless what was found can be a message. */
export function assertLength({ type, from }: Fields): void {
  if (type !== LENGTH) throw new BrokenProtobuf(from, WRONG_TYPE)
}

/** Where the last message of a field stands, or null. */
export function messageAt(bytes: Buffer, from: number, to: number, field: number): [number, number] | null {
  let found: [number, number] | null = null
  for (const place of messagesOf(bytes, from, to, field)) found = place
  return found
}
