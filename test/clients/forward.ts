import { createRequire } from 'node:module'

/** What Fluentd and Fluent Bit write for one event when they want an acknowledgement: packed entries, and a chunk. */
export function forwardMessage(tag: string, record: object, chunk: string): Buffer {
  const { encode }: { encode(value: unknown): Uint8Array } = createRequire(import.meta.url)('@msgpack/msgpack')
  const entries = encode([Math.floor(Date.now() / 1000), record])
  return Buffer.from(encode([tag, entries, { size: 1, chunk }]))
}
