import { backup, DatabaseSync } from 'node:sqlite'

/** More pages than a catalog has: the copy is one step, so that a change in between does not begin it anew. */
const ALL_PAGES = 0x7fffffff

/** Copies a SQLite catalog as it is at one moment, while others read and write it. */
export async function copyCatalog(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  try {
    await backup(database, target, { rate: ALL_PAGES })
  } finally {
    database.close()
  }
}
