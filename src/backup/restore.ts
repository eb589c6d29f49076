/**
 * A backup becomes a data folder. Promises: nothing is in place before all of it was read, compared and made durable.
 * Refuses: a folder that holds anything, and a backup that is damaged, cut short or not of this kind.
 */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Fault } from '../base/faults.ts'
import { type BackupList, LIST_NAME } from './contents.ts'
import type { Entry } from './tar.ts'
import { verify } from './verify.ts'

/** Inside the folder itself, which may be the root of a disk. */
const DRAFT = 'restoring'

export async function restore(entries: AsyncIterable<Entry>, dataDir: string): Promise<BackupList> {
  await assertEmpty(dataDir)
  const draft = join(dataDir, DRAFT)
  await mkdir(draft, { recursive: true, mode: 0o700 })
  try {
    const list = await unpack(entries, draft)
    for (const name of await readdir(draft)) await rename(join(draft, name), join(dataDir, name))
    await syncFolder(dataDir)
    return list
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** The files of a backup into a folder, checked; `withList` keeps the list, so that the folder is a backup itself. */
export async function unpack(entries: AsyncIterable<Entry>, dir: string, withList = false): Promise<BackupList> {
  const folders = new Set<string>([dir])
  const list = await verify(entries, async (name, content) => {
    const path = join(dir, name)
    await mkdir(dirname(path), { recursive: true })
    folders.add(dirname(path)).add(dirname(dirname(path)))
    await write(path, content)
  })
  if (withList) await write(join(dir, LIST_NAME), [Buffer.from(`${JSON.stringify(list, null, 1)}\n`)])
  for (const folder of folders) if (folder.startsWith(dir)) await syncFolder(folder)
  return list
}

async function write(path: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of content) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function assertEmpty(dir: string): Promise<void> {
  // What a disk of its own brings along is no data.
  const names = (await readdir(dir).catch(() => [])).filter((name) => name !== 'lost+found')
  if (names.length > 0)
    throw new Fault('conflict', `${dir} is not empty. Restore into a new folder, or move away what is there.`)
}
