/** What a backup consists of, and the list that closes it. */
import { z } from 'zod'
import { Fault } from '../base/faults.ts'

export const LIST_NAME = 'backup.json'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const NAME = new RegExp(
  `^(?:catalog\\.sqlite|secret\\.key|backup\\.json|journal/(?:\\d{16}\\.log|positions\\.json)|` +
    `warehouse/${UUID}/(?:manifest\\.json|\\d{4}-\\d{2}-\\d{2}/\\d{1,16}\\.(?:parquet|filter)))$`,
)

/** Other names are refused when a backup is read: whoever made it could otherwise write anywhere. */
export const isOwnName = (name: string): boolean => NAME.test(name)

export const BackupList = z.object({
  format: z.literal('millrace-backup'),
  version: z.literal(1),
  made_at: z.iso.datetime(),
  /** The release that made it. */
  millrace: z.string(),
  /** The journal position that is its moment. */
  position: z.int().min(0),
  /** `postgres`: the catalog is not in here, but in the database of DATABASE_URL. */
  catalog: z.enum(['sqlite', 'postgres']),
  secret_key: z.boolean(),
  files: z.array(z.object({ name: z.string(), bytes: z.int().min(0), sha256: z.string() })),
})
export type BackupList = z.output<typeof BackupList>

export function readList(text: string): BackupList {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw unreadable()
  }
  const list = BackupList.safeParse(given)
  if (!list.success) throw unreadable()
  return list.data
}

const unreadable = (): Fault =>
  new Fault('bad_request', `${LIST_NAME} cannot be read: this is no backup, or one of a newer release.`)
