/** The folders of the service, made and checked before anything is opened in them. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault } from '../base/faults.ts'

export function makeFolders(dataDir: string): { journal: string; warehouse: string } {
  const folders = { journal: join(dataDir, 'journal'), warehouse: join(dataDir, 'warehouse') }
  try {
    // Asked first, because making folders on a read-only disk fails with a misleading reason.
    accessSync(nearestExisting(dataDir), constants.W_OK)
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
    for (const folder of [dataDir, ...Object.values(folders)]) accessSync(folder, constants.R_OK | constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Fault(
      'setup',
      `The data folder ${dataDir} cannot be written (${reason}). Make it writable, or set MILLRACE_DATA to another one.`,
      error,
    )
  }
  return folders
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}
