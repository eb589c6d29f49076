/** Reads a backup to its end and compares every file with the list that closes it. */
import { createHash } from 'node:crypto'
import { Fault } from '../base/faults.ts'
import { type BackupList, isOwnName, LIST_NAME, readList } from './contents.ts'
import type { Entry } from './tar.ts'

/** Takes the content of a file; without one it is only compared. */
export type Keep = (name: string, content: AsyncIterable<Buffer>) => Promise<void>

const LIST_BYTES_MAX = 256 * 1024 * 1024

export async function verify(entries: AsyncIterable<Entry>, keep: Keep = readOnly): Promise<BackupList> {
  const found = new Map<string, { bytes: number; sha256: string }>()
  let list: BackupList | null = null
  for await (const { name, bytes, content } of entries) {
    if (!isOwnName(name) || found.has(name) || list)
      throw new Fault('bad_request', `This is no backup of Millrace: it has a file ${JSON.stringify(name)}.`)
    if (name === LIST_NAME) list = readList((await all(content, bytes)).toString('utf8'))
    else found.set(name, { bytes, sha256: await summed(content, (chunks) => keep(name, chunks)) })
  }
  if (!list) throw new Fault('bad_request', `The backup is not whole: it has no ${LIST_NAME} at its end.`)
  compare(list, found)
  return list
}

function compare({ files }: BackupList, found: Map<string, { bytes: number; sha256: string }>): void {
  for (const { name, bytes, sha256 } of files) {
    const file = found.get(name)
    if (!file) throw new Fault('bad_request', `The backup is not whole: ${name} is missing.`)
    if (file.bytes !== bytes || file.sha256 !== sha256)
      throw new Fault('bad_request', `The backup is damaged: ${name} is not what was written.`)
    found.delete(name)
  }
  const [extra] = found.keys()
  if (extra !== undefined) throw new Fault('bad_request', `The backup has a file that its list does not name: ${extra}`)
}

async function summed(
  content: AsyncIterable<Buffer>,
  take: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<string> {
  const sum = createHash('sha256')
  async function* passing(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      sum.update(chunk)
      yield chunk
    }
  }
  await take(passing())
  return sum.digest('hex')
}

async function readOnly(_: string, content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of content);
}

async function all(content: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  if (bytes > LIST_BYTES_MAX) throw new Fault('bad_request', `The ${LIST_NAME} of the backup is too large.`)
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
