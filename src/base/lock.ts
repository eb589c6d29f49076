/**
 * One process per folder. The lock is the operating system's (held through SQLite, as Node has no call for it), so it
 * is gone with the process, however the process ends.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { Fault } from './faults.ts'

const RETRY_MS = 50

/** Takes the folder, waiting up to `waitMs` for another process to leave it. The lock is held until the process ends or `release` is called. */
export async function lockFolder(dir: string, waitMs = 0): Promise<{ release(): void }> {
  const deadline = Date.now() + waitMs
  const database = new DatabaseSync(join(dir, 'lock'), { timeout: 0 })
  for (;;) {
    try {
      // Nothing is ever written, so no journal either: the lock must be had on a full disk too.
      database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      return { release: () => database.close() }
    } catch (error) {
      if (!(error instanceof Error) || !/locked|busy/i.test(error.message)) {
        database.close()
        throw error
      }
      if (Date.now() >= deadline) {
        database.close()
        throw new Fault(
          'setup',
          `Another process is using the data folder ${dir}. Stop it, or set MILLRACE_DATA to a folder of its own.`,
        )
      }
      await wait(RETRY_MS)
    }
  }
}
