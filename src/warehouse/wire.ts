/**
 * Messages between the front process and the engine process, over one duplex stream.
 * A message is a head (JSON) and a body (bytes, often empty): u32 head length, u32 body length, head, body; little endian.
 * Answers of queries travel as finished JSON bytes in the body, never as objects.
 */
import type { Duplex } from 'node:stream'

const PREFIX_BYTES = 8

export type Wire<Out, In> = {
  send(head: Out, body?: Uint8Array): void
  onMessage(listener: (head: In, body: Buffer) => void): void
  onClose(listener: () => void): void
}

export function createWire<Out, In>(stream: Duplex): Wire<Out, In> {
  let listener: (head: In, body: Buffer) => void = () => {}
  let chunks: Buffer[] = []
  let held = 0
  let wanted = PREFIX_BYTES

  function take(): void {
    if (held < wanted) return
    let buffer = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, held)
    while (buffer.length >= PREFIX_BYTES) {
      const headEnd = PREFIX_BYTES + buffer.readUInt32LE(0)
      const end = headEnd + buffer.readUInt32LE(4)
      if (buffer.length < end) {
        wanted = end
        break
      }
      const head: In = JSON.parse(buffer.toString('utf8', PREFIX_BYTES, headEnd))
      listener(head, buffer.subarray(headEnd, end))
      buffer = buffer.subarray(end)
      wanted = PREFIX_BYTES
    }
    chunks = buffer.length > 0 ? [buffer] : []
    held = buffer.length
  }

  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    held += chunk.length
    take()
  })
  // A broken pipe means the other process is gone; `onClose` is where that is handled.
  stream.on('error', () => {})

  return {
    send(head, body) {
      const text = Buffer.from(JSON.stringify(head))
      const prefix = Buffer.allocUnsafe(PREFIX_BYTES)
      prefix.writeUInt32LE(text.length, 0)
      prefix.writeUInt32LE(body?.length ?? 0, 4)
      stream.cork()
      stream.write(prefix)
      stream.write(text)
      if (body && body.length > 0) stream.write(body)
      stream.uncork()
    },
    onMessage(next) {
      listener = next
    },
    onClose(next) {
      stream.on('close', next)
      stream.on('end', next)
    },
  }
}
