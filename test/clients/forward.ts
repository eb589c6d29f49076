import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'

/** What Fluentd and Fluent Bit write for one event when they want an acknowledgement: packed entries, and a chunk. */
export function forwardMessage(tag: string, record: object, chunk: string): Buffer {
  const { encode }: { encode(value: unknown): Uint8Array } = createRequire(import.meta.url)('@msgpack/msgpack')
  const entries = encode([Math.floor(Date.now() / 1000), record])
  return Buffer.from(encode([tag, entries, { size: 1, chunk }]))
}

/** What a sender says to a receiver that said hello: that it knows the key and a password, by the protocol's description. */
export function forwardPing(hello: Buffer, known: { key: string; user: string; password: string }): Buffer {
  const { decode, encode }: { decode(bytes: Buffer): unknown; encode(value: unknown): Uint8Array } = createRequire(
    import.meta.url,
  )('@msgpack/msgpack')
  const said = decode(hello)
  const { nonce, auth } = Array.isArray(said) ? said[1] : {}
  const digest = (...parts: (string | Uint8Array)[]): string =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha512')).digest('hex')
  const { key, user, password } = known
  return Buffer.from(
    encode(['PING', 'web-1', 'salt', digest('salt', 'web-1', nonce, key), user, digest(auth, user, password)]),
  )
}
