import { expect, test } from 'vitest'
import { readSse, type SseMessage } from './sse.ts'

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test.each([1, 3, 7, 1000])('messages are whole however they arrive, in pieces of %i bytes', async (size) => {
  const text = ': hello\nretry: 2000\n\nid: 5\n\nid: 6\ndata: {"ü":1}\n\nevent: missed\ndata: a\ndata: b\n\n'
  const found: SseMessage[] = []
  for await (const message of readSse(inPieces(text, size))) found.push(message)
  expect(found.filter(({ id, data }) => id !== '' || data !== '')).toEqual([
    { id: '5', event: 'message', data: '' },
    { id: '6', event: 'message', data: '{"ü":1}' },
    { id: '', event: 'missed', data: 'a\nb' },
  ])
})
