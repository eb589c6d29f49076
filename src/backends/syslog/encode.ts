/** Events as RFC 5424 messages in octet-counting frames (RFC 6587): the length, a space, the message, and nothing after it. */
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { uuidBytes } from '../../base/ids.ts'
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { SyslogOptions } from './options.ts'

const FACILITY_LOCAL0 = 16
const INFORMATIONAL = 6
/** Never `-`: some receivers refuse a message without one. */
const APP_NAME = 'logflare'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const AAD = Buffer.from('syslog')

const SEVERITIES: Record<string, number> = {
  ...{ emergency: 0, emerg: 0, emer: 0, alert: 1, critical: 2, crit: 2, error: 3, err: 3 },
  ...{ warning: 4, warn: 4, notice: 5, informational: 6, info: 6, debug: 7 },
}

export type FrameOptions = Pick<SyslogOptions, 'max_message_bytes' | 'structured_data' | 'cipher_key'>

export function encode(events: StoredEvent[], options: FrameOptions): Buffer {
  const seal = options.cipher_key ? sealWith(Buffer.from(options.cipher_key, 'base64'), events.length) : null
  // Made as text and turned into bytes at once: a buffer an event costs three times as much.
  return Buffer.from(events.map((event) => frameOf(event, options, seal)).join(''))
}

type Seal = (plain: Buffer) => string

function frameOf(event: StoredEvent, options: FrameOptions, seal: Seal | null): string {
  const header = headerOf(event, options.structured_data)
  const room = Math.max(options.max_message_bytes - Buffer.byteLength(header), 0)
  const json = sortedJson(event)
  const body = seal ? sealed(json, room, seal) : cut(json, room)
  return `${Buffer.byteLength(header) + Buffer.byteLength(body)} ${header}${body}`
}

function headerOf(event: StoredEvent, structuredData = '-'): string {
  const metadata = recordOf(event.metadata)
  const resource = recordOf(event.resource)
  const priority = FACILITY_LOCAL0 * 8 + severityOf(first(metadata.level, event.level))
  const time = new Date(Math.floor(event.timestamp / 1000)).toISOString()
  const host = word(first(metadata.host, resource.node, event.host), 255)
  const app = word(first(metadata.app_name, resource.name, event.app_name, APP_NAME), 48)
  const process = word(first(metadata.procid, event.procid), 128)
  return `<${priority}>1 ${time} ${host} ${app} ${process} ${messageId(event.id)} ${structuredData} `
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Ids that senders chose are shown as they are, as far as there is room. */
const messageId = (id: string): string => (UUID.test(id) ? base32(uuidBytes(id)) : word(id, 32))

/** Whatever else it is, it is no reason to lose the event. */
function severityOf(level: unknown): number {
  if (typeof level === 'string') return SEVERITIES[level.toLowerCase()] ?? INFORMATIONAL
  return typeof level === 'number' && Number.isInteger(level) && level >= 0 && level <= 7 ? level : INFORMATIONAL
}

const first = (...values: unknown[]): unknown =>
  values.find((value) => value !== undefined && value !== null && value !== false)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NONE: Record<string, unknown> = {}
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : NONE)

const PRINTABLE = /^[\x21-\x7e]+$/

/** A header field: every byte that is not printable ASCII becomes `_`, then it is cut. */
function word(value: unknown, longest: number): string {
  if (value === undefined) return '-'
  const text = typeof value === 'object' ? sortedJson(value) : String(value)
  if (PRINTABLE.test(text)) return text.slice(0, longest)
  const bytes = Buffer.from(text).subarray(0, longest)
  const printable = bytes.map((byte) => (byte < 0x21 || byte > 0x7e ? 0x5f : byte))
  return bytes.length === 0 ? '-' : Buffer.from(printable).toString('latin1')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31]
}

/** At most this many bytes, cut between characters. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  return cutBytes(Buffer.from(text), bytes).toString()
}

function cutBytes(text: Buffer, bytes: number): Buffer {
  if (text.length <= bytes) return text
  let end = bytes
  while (end > 0 && (text[end]! & 0xc0) === 0x80) end--
  return text.subarray(0, end)
}

/** Cut before it is sealed, so that it fits and can be opened. */
function sealed(json: string, room: number, seal: Seal): string {
  const most = Math.max(Math.floor(room / 4) * 3 - NONCE_BYTES - TAG_BYTES, 0)
  const plain = cutBytes(Buffer.from(json), most)
  return plain.length === 0 ? '' : seal(plain)
}

/** base64 of nonce, tag and ciphertext. The nonces of a batch are drawn together. */
function sealWith(key: Buffer, events: number): Seal {
  const secret = createSecretKey(key)
  const nonces = randomBytes(NONCE_BYTES * events)
  let used = 0
  return (plain) => {
    const nonce = nonces.subarray(used, used + NONCE_BYTES)
    used += NONCE_BYTES
    const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(AAD)
    const text = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
  }
}

/**
 * JSON with the names of every object in byte order, so that equal events are equal bytes. Long integers are text.
 * Names of stored fields are ASCII, for which the order of JavaScript is that of bytes.
 */
export function sortedJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  let text = ''
  for (const name of inOrder(Object.keys(value))) {
    const inner: unknown = Reflect.get(value, name)
    if (inner !== undefined) text += `${text === '' ? '' : ','}"${name}":${sortedJson(inner)}`
  }
  return `{${text}}`
}

/** Most objects have few names, and sorting them in place costs less than asking the engine to. */
function inOrder(names: string[]): string[] {
  if (names.length > 16) return names.sort()
  for (let i = 1; i < names.length; i++) {
    const name = names[i]!
    let at = i
    for (; at > 0 && names[at - 1]! > name; at--) names[at] = names[at - 1]!
    names[at] = name
  }
  return names
}
