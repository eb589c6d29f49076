import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { createStoppedBackup } from '../../backup/backup.ts'
import type { BackupList } from '../../backup/contents.ts'
import { openBackup } from '../../backup/read.ts'
import { unpack } from '../../backup/restore.ts'
import { readTar } from '../../backup/tar.ts'
import { verify } from '../../backup/verify.ts'
import { systemClock } from '../../base/clock.ts'
import { VERSION } from '../../http/openapi.ts'
import type { Call, Command } from '../command.ts'
import { Failure, wrongUse } from '../failure.ts'
import { bytesText, writeJson, writeLine } from '../print.ts'
import { createProgress } from '../progress.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'Write all events and settings of a service to a file or folder',
  usage: '<target>',
  about:
    'The service goes on working. The backup holds exactly what was acknowledged at one moment after the start of this\n' +
    'command, and is read again and compared before it gets its name. A target that ends in .tar or .tar.zst is an\n' +
    'archive, - is standard output, anything else a folder. It needs a management token of the first account.\n' +
    'The key of stored secrets is in it unless --without-secret-key is given: keep the backup as safe as the service.\n' +
    'A catalog in PostgreSQL (DATABASE_URL) is not in it; dump that database right after.',
  options: {
    data: { type: 'string', value: 'folder', summary: 'Back up this data folder, of a service that does not run' },
    'without-secret-key': { type: 'boolean', summary: 'Leave out the key of stored secrets' },
    'no-verify': { type: 'boolean', summary: 'Do not read the backup again' },
  },
  isRemote: true,
  arguments: { min: 1, max: 1 },
  examples: ['millrace backup millrace.tar.zst', 'millrace backup --data ./data /mnt/backups/monday'],
  async run(call) {
    const target = call.args[0]!
    if (target === '-') {
      await pipeline(await archive(call), call.stdout, { end: false })
      return 0
    }
    if (await stat(target).catch(() => null)) throw wrongUse(`${target} is there already.`, 'Give another name.')
    const list = await save(call, resolve(target))
    await tell(call, target, list)
    return 0
  },
}

/** Under another name until it is whole and compared. */
async function save(call: Call, target: string): Promise<BackupList | null> {
  const draft = `${target}.unfinished`
  await rm(draft, { recursive: true, force: true })
  await mkdir(dirname(target), { recursive: true })
  try {
    const bytes = counted(await archive(call), call)
    if (!/\.tar(\.zst)?$/.test(target)) await unpackTo(bytes, draft)
    else await packTo(bytes, draft, target.endsWith('.zst'))
    const list = call.is('no-verify') ? null : await verify(await openBackup(draft))
    await rename(draft, target)
    return list
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function unpackTo(bytes: AsyncIterable<Buffer>, dir: string): Promise<void> {
  await mkdir(dir, { mode: 0o700 })
  await unpack(readTar(bytes), dir, true)
}

async function packTo(bytes: AsyncIterable<Buffer>, file: string, isPacked: boolean): Promise<void> {
  const output = createWriteStream(file, { mode: 0o600 })
  await once(output, 'open')
  if (isPacked) await pipeline(bytes, createZstdCompress(), output)
  else await pipeline(bytes, output)
  const written = await open(file, 'r')
  await written.sync().finally(() => written.close())
}

/** From the running service, or from a folder that nobody uses. */
async function archive(call: Call): Promise<AsyncIterable<Buffer>> {
  const withSecretKey = !call.is('without-secret-key')
  const dataDir = call.text('data')
  if (dataDir !== undefined) {
    if (!(await stat(resolve(dataDir, 'journal')).catch(() => null)))
      throw new Failure(1, `${dataDir} is no data folder of Millrace.`)
    const hasOwnCatalog = !call.env.DATABASE_URL
    if (hasOwnCatalog && !(await stat(resolve(dataDir, 'catalog.sqlite')).catch(() => null)))
      throw new Failure(
        1,
        `There is no catalog in ${dataDir}.`,
        'If it is in PostgreSQL, set DATABASE_URL as the service has it; that database is not part of the backup.',
      )
    const parts = { dataDir: resolve(dataDir), clock: systemClock, release: VERSION, hasOwnCatalog }
    return await createStoppedBackup(parts).begin({ withSecretKey })
  }
  const api = await call.api()
  const answer = await api.open(`/api/backup?secret_key=${withSecretKey}`, { method: 'POST' })
  if (!answer.body) throw new Failure(1, 'The service sent no backup.')
  return received(answer.body)
}

async function* received(body: NonNullable<Response['body']>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of Readable.from(body)) yield Buffer.from(chunk)
  } catch (error) {
    throw new Failure(3, `The service stopped sending: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

async function* counted(bytes: AsyncIterable<Buffer>, call: Call): AsyncGenerator<Buffer> {
  const progress = createProgress(call)
  let total = 0
  for await (const chunk of bytes) {
    total += chunk.length
    progress.show(`${bytesText(total)} received`)
    yield chunk
  }
  progress.end()
}

async function tell({ is, stdout }: Call, target: string, list: BackupList | null): Promise<void> {
  const facts = list && {
    made_at: list.made_at,
    files: list.files.length,
    bytes: list.files.reduce((sum, { bytes }) => sum + bytes, 0),
    catalog: list.catalog,
    secret_key: list.secret_key,
  }
  if (is('json')) return writeJson(stdout, { target, verified: list !== null, ...facts })
  if (!facts) return writeLine(stdout, `${target} is written; it was not compared.`)
  const { files, bytes, catalog, secret_key } = facts
  await writeLine(stdout, `${target} is written and compared: ${files} files, ${bytesText(bytes)}.`)
  if (catalog === 'postgres')
    await writeLine(stdout, 'The catalog is in PostgreSQL and not in it: dump that database now.')
  if (!secret_key) await writeLine(stdout, 'The key of stored secrets is not in it: keep it elsewhere.')
}
