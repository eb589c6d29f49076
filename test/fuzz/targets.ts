/** Everything that reads bytes of strangers: all formats of the registry, and the frame readers of the listeners. */
import { decode, encode } from '@msgpack/msgpack'
import type { Random } from '../../bench/data/random.ts'
import { decodeBody } from '../../src/ingest/decode.ts'
import type { Format, Headers } from '../../src/ingest/formats/format.ts'
import { formats } from '../../src/ingest/formats/formats.ts'
import { readForward } from '../../src/ingest/formats/forward/forward.ts'
import { asDelivery } from '../../src/ingest/formats/forward/lines.ts'
import { createSyslogMessages } from '../../src/ingest/formats/syslog/messages.ts'
import { createTrial } from '../../src/ingest/testing.ts'
import { createHandshake } from '../../src/listeners/forward/handshake.ts'
import { createValues } from '../../src/listeners/forward/values.ts'
import { byAddress } from '../../src/listeners/syslog/address.ts'
import { createFrames } from '../../src/listeners/syslog/frames.ts'
import { LOKI_PUSHES, otlpProtobuf } from './protobuf.ts'
import { BERT, FORWARD, PACKED, PLAIN, SYSLOG, seedsOf } from './seeds.ts'
import { snappy } from './snappy.ts'
import type { Codec } from './values.ts'

export type Target = {
  name: string
  seeds: readonly Buffer[]
  /** How values of the seeds are read, where it is not as JSON. */
  codec?: Codec
  /** Throws what reading throws. */
  read(bytes: Buffer, random: Random): Promise<void>
}

const FORM = 'application/x-www-form-urlencoded'
const TYPES = [
  'application/json',
  'application/x-ndjson',
  'application/x-protobuf',
  'application/bert',
  'text/plain',
  FORM,
]
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'snappy']

/** Bytes that are not looked into. */
const none: Codec = { read: () => undefined, write: () => Buffer.alloc(0) }

const messagePack: Codec = {
  read: (bytes) => decode(bytes),
  write: (value) => Buffer.from(encode(value, { ignoreUndefined: true })),
}

/** Stores of one trial; then it begins anew, as its journal is memory. */
const STORES_PER_TRIAL = 2_000

export function createTargets(): Target[] {
  let trial = createTrial()
  let stores = 0

  async function store(format: Format, body: Buffer, headers: Headers = {}): Promise<void> {
    if (++stores % STORES_PER_TRIAL === 0) trial = createTrial()
    trial.frames.length = 0
    trial.rejects.length = 0
    await trial.accept({ source: trial.source, format, body, headers })
    // What was kept must be rows that can be read again.
    trial.rows()
  }

  async function take(format: Format, wire: Buffer, headers: Headers, encoding?: string): Promise<void> {
    const packing = encoding ?? format.packing?.(headers)
    const body = await decodeBody(wire, packing, undefined, isBinary(format, headers))
    if (isBinary(format, headers) && format.toJson)
      return store(format, format.toJson(body), { 'content-type': 'application/json' })
    format.split?.(body, headers)
    await store(format, body, headers)
  }

  const bodies = Object.entries(formats).flatMap(([name, format]) =>
    TYPES.map((type) => ({ 'content-type': type, 'ce-time': '2026-11-15T11:00:00Z' }))
      .filter((headers) => isTaken(format, headers))
      .map((headers): Target => {
        const type = headers['content-type']
        return {
          name: `${name} as ${type}`,
          ...(isBinary(format, headers) ? binarySeeds(name, type) : { seeds: seedsOf(name) }),
          read: (bytes) => take(format, bytes, headers),
        }
      }),
  )
  const packed = ENCODINGS.map(
    (encoding): Target => ({
      name: `packed with ${encoding}`,
      seeds: PACKED[encoding] ?? PLAIN,
      codec: none,
      read: (bytes) => take(formats.logs, bytes, { 'content-type': 'application/json' }, encoding),
    }),
  )
  return [
    ...bodies,
    ...packed,
    {
      // Bent bytes rarely get past the packing.
      name: 'loki in protobuf, unpacked',
      seeds: LOKI_PUSHES,
      codec: none,
      async read(bytes) {
        formats.loki.split?.(bytes, PROTOBUF)
        await store(formats.loki, bytes, PROTOBUF)
      },
    },
    {
      name: 'syslog over connections',
      seeds: SYSLOG,
      async read(bytes, random) {
        const pieces: Buffer[] = []
        const add = (from: Buffer, start: number, end: number): void => void pieces.push(from.subarray(start, end))
        const frames = createFrames({ onMessage: add, onRefused: add })
        for (const cut of cutUp(bytes, random)) if (!frames.push(cut)) return
        frames.end()
        let end = 0
        const ends = pieces.map(({ length }) => {
          end += length
          return end
        })
        const all = { bytes: Buffer.concat(pieces), ends }
        for (const { messages } of byAddress(all, { token: 't', source: 's' }))
          await store(createSyslogMessages(messages), messages.bytes)
      },
    },
    {
      name: 'forward protocol',
      seeds: FORWARD,
      codec: messagePack,
      async read(bytes, random) {
        const values = createValues({ hold: () => {} })
        for (const cut of cutUp(bytes, random))
          for (const value of values.push(cut)) {
            const message = await readForward(value)
            if (message && message.lines.length > 0) {
              const { format, body } = asDelivery(message.lines)
              await store(format, body)
            }
          }
      },
    },
    {
      name: 'handshake of the forward protocol',
      seeds: FORWARD,
      codec: messagePack,
      async read(bytes) {
        const { refusal } = createHandshake({ sharedKey: 'k', users: [['u', 'p']], hostname: 'h' }).answer(bytes)
        if (refusal === null) throw new Error('a stranger was let in')
      },
    },
  ]
}

const asForm = (json: Buffer): Buffer => Buffer.from(`payload=${encodeURIComponent(json.toString())}`)

const isBinary = (format: Format, headers: Headers): boolean => format.isBinary?.(headers) ?? false

function binarySeeds(format: string, type: string): { seeds: readonly Buffer[]; codec?: Codec } {
  if (type === 'application/bert') return { seeds: BERT }
  if (type === FORM) return { seeds: seedsOf(format).map(asForm), codec: none }
  return otlpProtobuf(format) ?? { seeds: LOKI_PUSHES.map(snappy), codec: none }
}

function isTaken(format: Format, headers: Headers): boolean {
  if (format.isBinary?.(headers)) return true
  try {
    format.check(headers)
    return headers['content-type'] !== 'application/x-protobuf'
  } catch {
    return false
  }
}

function* cutUp(bytes: Buffer, random: Random): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const to = at + 1 + random.below(bytes.length)
    yield bytes.subarray(at, to)
    at = to
  }
}
