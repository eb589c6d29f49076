/** A moment as a tar archive. Its last file is the list with all checksums, so an archive that was cut has none. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type BackupList, LIST_NAME } from './contents.ts'
import type { Moment, Piece } from './gather.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'

const CHUNK_BYTES = 1024 * 1024

type About = { madeAtMs: number; release: string; catalog: BackupList['catalog'] }

export async function* pack(
  { pieces, position, hasSecretKey }: Moment,
  { madeAtMs, release, catalog }: About,
): AsyncGenerator<Buffer> {
  const files: BackupList['files'] = []
  for (const piece of pieces) {
    const bytes = 'text' in piece ? Buffer.byteLength(piece.text) : piece.bytes
    const sum = createHash('sha256')
    let written = 0
    yield tarHeader(piece.name, bytes, madeAtMs)
    for await (const chunk of chunksOf(piece)) {
      sum.update(chunk)
      written += chunk.length
      yield chunk
    }
    if (written !== bytes) throw new Error(`${piece.name} has ${written} bytes instead of ${bytes}`)
    yield tarPadding(bytes)
    files.push({ name: piece.name, bytes, sha256: sum.digest('hex') })
  }
  const list: BackupList = {
    format: 'millrace-backup',
    version: 1,
    made_at: new Date(madeAtMs).toISOString(),
    millrace: release,
    position,
    catalog,
    secret_key: hasSecretKey,
    files,
  }
  const text = Buffer.from(`${JSON.stringify(list, null, 1)}\n`)
  yield tarHeader(LIST_NAME, text.length, madeAtMs)
  yield text
  yield tarPadding(text.length)
  yield tarEnd()
}

async function* chunksOf(piece: Piece): AsyncGenerator<Buffer> {
  if ('text' in piece) yield Buffer.from(piece.text)
  else if (piece.bytes > 0) yield* createReadStream(piece.path, { end: piece.bytes - 1, highWaterMark: CHUNK_BYTES })
}
