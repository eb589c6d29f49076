/** Events as RFC 5424 messages in octet-counting frames (RFC 6587): the length, a space, the message, and nothing after it. */
import { createCipheriv, randomBytes } from 'node:crypto'
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
  return Buffer.concat(events.map((event) => frameOf(event, options)))
}

export function frameOf(event: StoredEvent, options: FrameOptions): Buffer {
  const header = Buffer.from(headerOf(event, options.structured_data))
  const room = Math.max(options.max_message_bytes - header.length, 0)
  const json = Buffer.from(sortedJson(event))
  const body = options.cipher_key ? sealed(json, room, Buffer.from(options.cipher_key, 'base64')) : cut(json, room)
  return Buffer.concat([Buffer.from(`${header.length + body.length} `), header, body])
}

function headerOf(event: StoredEvent, structuredData = '-'): string {
  const metadata = recordOf(event.metadata)
  const resource = recordOf(event.resource)
  const priority = FACILITY_LOCAL0 * 8 + severityOf(first(metadata.level, event.level))
  const time = new Date(Math.floor(event.timestamp / 1000)).toISOString()
  const host = word(first(metadata.host, resource.node, event.host), 255)
  const app = word(first(metadata.app_name, resource.name, event.app_name, APP_NAME), 48)
  const process = word(first(metadata.procid, event.procid), 128)
  return `<${priority}>1 ${time} ${host} ${app} ${process} ${base32(uuidBytes(event.id))} ${structuredData} `
}

/** Whatever else it is, it is no reason to lose the event. */
function severityOf(level: unknown): number {
  if (typeof level === 'string') return SEVERITIES[level.toLowerCase()] ?? INFORMATIONAL
  return typeof level === 'number' && Number.isInteger(level) && level >= 0 && level <= 7 ? level : INFORMATIONAL
}

const first = (...values: unknown[]): unknown =>
  values.find((value) => value !== undefined && value !== null && value !== false)

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

/** A header field: every byte that is not printable ASCII becomes `_`, then it is cut. */
function word(value: unknown, longest: number): string {
  if (value === undefined) return '-'
  const text = typeof value === 'object' ? sortedJson(value) : String(value)
  const bytes = Buffer.from(text).subarray(0, longest)
  const printable = bytes.map((byte) => (byte < 0x21 || byte > 0x7e ? 0x5f : byte))
  return bytes.length === 0 ? '-' : Buffer.from(printable).toString('latin1')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
function base32(bytes: Buffer): string {
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
function cut(text: Buffer, bytes: number): Buffer {
  if (text.length <= bytes) return text
  let end = bytes
  while (end > 0 && (text[end]! & 0xc0) === 0x80) end--
  return text.subarray(0, end)
}

/** base64 of nonce, tag and ciphertext; cut before it is sealed, so that it fits and can be opened. */
function sealed(json: Buffer, room: number, key: Buffer): Buffer {
  const plain = cut(json, Math.max(Math.floor(room / 4) * 3 - NONCE_BYTES - TAG_BYTES, 0))
  if (plain.length === 0) return plain
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(AAD)
  const text = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.from(Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64'))
}

/** JSON with the names of every object in byte order, so that equal events are equal bytes. Long integers are text. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'bigint') return String(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    const names = Object.entries(inner).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    return Object.fromEntries(names)
  })
}
