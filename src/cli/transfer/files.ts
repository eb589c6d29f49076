/** An export on disk: a folder with Parquet files of one source and `export.json`, the list of them. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Failure } from '../failure.ts'

const FILE = 'export.json'

const Listed = z.object({
  format: z.literal('millrace-export'),
  version: z.literal(1),
  source: z.object({ name: z.string(), token: z.string(), url: z.string() }),
  /** Microseconds; both belong to the export. */
  from: z.int().nullable(),
  to: z.int(),
  lql: z.string(),
  /** Newest events first. */
  files: z.array(
    z.object({ name: z.string().regex(/^[\w.-]+\.parquet$/), events: z.int(), min: z.int(), max: z.int() }),
  ),
  /** Where the next page goes on; null when all is there. */
  next: z.string().nullable(),
})
export type Listed = z.output<typeof Listed>

/** Null when there is none. */
export async function readListed(dir: string): Promise<Listed | null> {
  const text = await readFile(join(dir, FILE), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return Listed.parse(JSON.parse(text))
  } catch {
    throw new Failure(1, `${join(dir, FILE)} cannot be read: it is no export, or one of a newer release.`)
  }
}

/** A file counts once it is listed: the list is replaced as a whole. */
export async function writeListed(dir: string, listed: Listed): Promise<void> {
  await writeFile(join(dir, `${FILE}.new`), `${JSON.stringify(listed, null, 1)}\n`, { flush: true })
  await rename(join(dir, `${FILE}.new`), join(dir, FILE))
}
