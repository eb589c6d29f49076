import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createBuffers } from '../../base/buffers.ts'
import { readBody } from './body.ts'

const LARGE = 100_000

function watchedBuffers() {
  const buffers = createBuffers({ keepBytes: 10_000_000 })
  const given: Buffer[] = []
  return {
    given,
    take: buffers.take,
    give(buffer: Buffer): void {
      given.push(buffer)
      buffers.give(buffer)
    },
  }
}

test('a whole body is read, with or without an announced length, and its memory is given back once', async () => {
  for (const announced of [String(LARGE), undefined]) {
    const buffers = watchedBuffers()
    const stream = new PassThrough()
    const reading = readBody(announced, stream, buffers)
    stream.end(Buffer.alloc(LARGE, 'x'))
    const body = await reading
    expect(body?.bytes.toString()).toBe('x'.repeat(LARGE))
    body?.release()
    expect(new Set(buffers.given).size).toBe(buffers.given.length)
  }
})

test('memory of a body that breaks off is given back once, so that it never is two requests’ at once', async () => {
  const buffers = watchedBuffers()
  const stream = new PassThrough()
  const reading = readBody(String(LARGE), stream, buffers)
  stream.write(Buffer.alloc(10))
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.destroy(new Error('reset'))
  await expect(reading).rejects.toMatchObject({ code: 'bad_request' })
  await closed
  expect(buffers.given).toHaveLength(1)
})

test('a connection that was gone before its body was asked for is refused, not waited for', async () => {
  const stream = new PassThrough()
  stream.destroy()
  await new Promise((resolve) => stream.once('close', resolve))
  await expect(readBody('10', stream, watchedBuffers())).rejects.toMatchObject({ code: 'bad_request' })
})
