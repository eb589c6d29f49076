/** The files of a backup, wherever it lies: an archive (`.tar`), a packed one (`.tar.zst`), or a folder. */
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { Fault } from '../base/faults.ts'
import { isOwnName, LIST_NAME, readList } from './contents.ts'
import { type Entry, readTar } from './tar.ts'

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const CHUNK_BYTES = 1024 * 1024

export async function openBackup(path: string): Promise<AsyncIterable<Entry>> {
  const found = await stat(path).catch(() => null)
  if (!found) throw new Fault('not_found', `There is no backup at ${path}.`)
  if (found.isDirectory()) return readFolder(path)
  return readTar(await unpacked(createReadStream(path, { highWaterMark: CHUNK_BYTES })))
}

/** Packed or not is told from the first bytes, as names change. */
export async function unpacked(input: Readable): Promise<AsyncIterable<Buffer>> {
  const chunks = chunksOf(input)
  const first = await chunks.next()
  const whole = rejoined(first.done ? null : first.value, chunks)
  if (first.done || !first.value.subarray(0, 4).equals(ZSTD_MAGIC)) return whole
  return unzstd(whole)
}

async function* unzstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpack = createZstdDecompress()
  const feeding = (async () => {
    for await (const chunk of packed)
      if (!unpack.write(chunk)) await new Promise<void>((resolve) => unpack.once('drain', resolve))
    unpack.end()
  })()
  feeding.catch((error: unknown) => unpack.destroy(error instanceof Error ? error : new Error(String(error))))
  try {
    for await (const chunk of unpack) yield chunk
  } catch (error) {
    throw new Fault('bad_request', 'The archive cannot be unpacked: it is damaged or was cut short.', error)
  }
}

async function* chunksOf(input: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of input) yield Buffer.from(chunk)
}

async function* rejoined(first: Buffer | null, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first) yield first
  yield* rest
}

async function* readFolder(path: string): AsyncGenerator<Entry> {
  const text = await readFile(join(path, LIST_NAME)).catch(() => null)
  if (!text) throw new Fault('bad_request', `${path} is no whole backup: it has no ${LIST_NAME}.`)
  for (const { name } of readList(text.toString('utf8')).files) {
    if (!isOwnName(name)) throw new Fault('bad_request', `The backup names a file that is none of its own: ${name}`)
    const file = join(path, name)
    const found = await stat(file).catch(() => null)
    if (!found) throw new Fault('bad_request', `The backup is not whole: ${name} is missing.`)
    yield { name, bytes: found.size, content: createReadStream(file, { highWaterMark: CHUNK_BYTES }) }
  }
  yield { name: LIST_NAME, bytes: text.length, content: one(text) }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
