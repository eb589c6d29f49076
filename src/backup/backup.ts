/**
 * Backups of a data folder: of one that a running service uses, and of one that nobody uses.
 *
 * Promises: a backup holds exactly the events that were durable at one moment after it was asked for, each once, and
 * the settings that belong to them. It delays neither senders nor queries. One that was cut short is told apart from
 * a whole one, and a changed byte is found (`restore.ts`).
 * Refuses: a second backup at the same time. A catalog in PostgreSQL is not in it: dump that database afterwards.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import { lockFolder } from '../base/lock.ts'
import { nodeDisk } from '../journal/disk.ts'
import type { Journal } from '../journal/journal.ts'
import { listSegments, segmentName, segmentPath } from '../journal/segments.ts'
import { gather, type HeldJournal } from './gather.ts'
import { pack } from './pack.ts'

export type Backup = {
  /** The bytes of the archive. The moment is over when it resolves; what is held for it is let go at the end. */
  begin(options: { withSecretKey: boolean }): Promise<AsyncGenerator<Buffer>>
}

type Parts = {
  dataDir: string
  clock: Clock
  release: string
  /** Whether the catalog is the SQLite file of the data folder. */
  hasOwnCatalog: boolean
}

/** Where links to parts lie while a backup is made. What is left there after a crash is of no use. */
const stagingDir = (dataDir: string): string => join(dataDir, 'backup')

export const clearBackups = (dataDir: string): Promise<void> =>
  rm(stagingDir(dataDir), { recursive: true, force: true })

export function createBackup({ journal, ...parts }: Parts & { journal: Journal }): Backup {
  let isRunning = false
  return {
    async begin(options) {
      if (isRunning) throw new Fault('conflict', 'A backup is being made. Wait until it is through.')
      isRunning = true
      const hold = journal.hold()
      const held: HeldJournal = {
        positions: async () => positionsText(journal),
        stretches: async () => hold.stretches(),
      }
      return make(held, { ...parts, ...options }, async () => {
        hold.release()
        isRunning = false
      })
    },
  }
}

/** Of a folder that no service uses; refused while one does. */
export function createStoppedBackup(parts: Parts): Backup {
  const journalDir = join(parts.dataDir, 'journal')
  return {
    async begin(options) {
      const lock = await lockFolder(parts.dataDir)
      const held: HeldJournal = {
        positions: () => readFile(join(journalDir, 'positions.json'), 'utf8').catch(() => null),
        stretches: () => wholeFiles(journalDir),
      }
      return make(held, { ...parts, ...options }, async () => lock.release())
    },
  }
}

async function make(
  journal: HeldJournal,
  { dataDir, clock, release, hasOwnCatalog, withSecretKey }: Parts & { withSecretKey: boolean },
  letGo: () => Promise<void>,
): Promise<AsyncGenerator<Buffer>> {
  const staging = join(stagingDir(dataDir), uuid4())
  const end = async (): Promise<void> => {
    await rm(staging, { recursive: true, force: true })
    await letGo()
  }
  const madeAtMs = clock.nowMs()
  const catalogFile = hasOwnCatalog ? join(dataDir, 'catalog.sqlite') : null
  try {
    const moment = await gather(journal, { dataDir, staging, catalogFile, withSecretKey })
    const catalog = hasOwnCatalog ? 'sqlite' : 'postgres'
    return endingWith(pack(moment, { madeAtMs, release, catalog }), end)
  } catch (error) {
    await end()
    throw error
  }
}

/** The same bytes; `end` runs once, whether they are read to the end or given up, even before the first. */
function endingWith(bytes: AsyncGenerator<Buffer>, end: () => Promise<void>): AsyncGenerator<Buffer> {
  let ended: Promise<void> | null = null
  const once = (): Promise<void> => {
    ended ??= end()
    return ended
  }
  return {
    async next() {
      try {
        const step = await bytes.next()
        if (step.done) await once()
        return step
      } catch (error) {
        await once()
        throw error
      }
    },
    async return(value) {
      await once()
      return bytes.return(value)
    },
    async throw(error) {
      await once()
      return bytes.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await once()
    },
  }
}

function positionsText(journal: Journal): string {
  const readers = Object.fromEntries(journal.readerNames().map((name) => [name, journal.reader(name).position]))
  return `${JSON.stringify({ version: 1, readers })}\n`
}

/** Nobody writes: what the files hold is what there is; a torn end is cut when the journal is opened. */
async function wholeFiles(dir: string) {
  const segments = await listSegments(nodeDisk, dir)
  const stretches = segments.map((from, i) => ({
    name: segmentName(from),
    path: segmentPath(dir, from),
    bytes: (segments[i + 1] ?? Number.MAX_SAFE_INTEGER) - from,
  }))
  return { end: segments.at(-1) ?? 0, stretches }
}
