import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { readTar, tarEnd, tarHeader, tarPadding } from './tar.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

const files: [string, Buffer][] = [
  ['empty', Buffer.alloc(0)],
  ['journal/one-block', Buffer.alloc(512, 7)],
  ['journal/odd', Buffer.from('some text that fills no block')],
]
const archive = Buffer.concat([
  ...files.flatMap(([name, bytes]) => [tarHeader(name, bytes.length, 0), bytes, tarPadding(bytes.length)]),
  tarEnd(),
])

test.each([1, 100, 512, 100_000])('files come out as they went in, read in pieces of %i bytes', async (size) => {
  const found: [string, Buffer][] = []
  for await (const { name, content } of readTar(inPieces(archive, size))) found.push([name, await all(content)])
  expect(found).toEqual(files)
})

test('tar itself reads what is written', () => {
  expect(execFileSync('tar', ['tf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n')).toEqual(
    files.map(([name]) => name),
  )
})

test.each([8 * 2 ** 30 - 1, 8 * 2 ** 30, 5e12])('a file of %i bytes keeps its size', async (bytes) => {
  const header = tarHeader('large', bytes, 0)
  for await (const entry of readTar(inPieces(header, 512))) {
    expect(entry.bytes).toBe(bytes)
    break
  }
})

test.each([
  ['cut', archive.subarray(0, 900), 'ends too early'],
  ['damaged', Buffer.concat([Buffer.from('x'), archive.subarray(1)]), 'damaged'],
])('an archive that is %s is refused', async (_, bytes, words) => {
  const read = async (): Promise<void> => {
    for await (const { content } of readTar(inPieces(bytes, 512))) await all(content)
  }
  await expect(read()).rejects.toThrow(words)
})
