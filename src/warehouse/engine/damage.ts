/**
 * A part that cannot be read is set aside, named in the service's health, and no longer stands in the way of the others.
 * The file is kept under `<source>/damaged/`, with the reason beside it.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Part } from '../manifest.ts'
import type { DamagedPart } from '../protocol.ts'
import { quoteText } from './columns.ts'
import type { SourceStore, Store } from './store.ts'

const MAGIC = 'PAR1'
const FOLDER = 'damaged'

/** The cheap look at start-up: right length, right first and last bytes. Null when all is well. */
export function outerDamage(path: string, bytes: number): string | null {
  if (!existsSync(path)) return 'the file is missing'
  const size = statSync(path).size
  if (size !== bytes) return `the file has ${size} bytes instead of ${bytes}`
  const handle = openSync(path, 'r')
  try {
    const ends = Buffer.alloc(8)
    readSync(handle, ends, 0, 4, 0)
    readSync(handle, ends, 4, 4, size - 4)
    return ends.toString('latin1') === MAGIC + MAGIC ? null : 'the file does not begin and end as a Parquet file'
  } finally {
    closeSync(handle)
  }
}

/** Reads every value of a part. Null when all can be read. */
async function innerDamage(connection: DuckDBConnection, path: string): Promise<string | null> {
  try {
    await connection.run(`SELECT max(hash(part)) FROM read_parquet(${quoteText(path)}) AS part`)
    return null
  } catch (error) {
    // Too little memory to look is no finding.
    if (error instanceof Error && error.message.startsWith('Out of Memory')) return null
    return error instanceof Error ? error.message.split('\n')[0]!.replaceAll(path, basename(path)) : String(error)
  }
}

export function setAside(store: Store, source: SourceStore, part: Part, reason: string, nowMs: number): DamagedPart {
  const folder = join(source.dir, FOLDER)
  mkdirSync(folder, { recursive: true })
  const note: DamagedPart = { source: source.token, file: part.file, reason, at: new Date(nowMs).toISOString() }
  const name = part.file.replace('/', '-')
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(note))
  store.commit(source, { ...source.manifest, parts: source.manifest.parts.filter((other) => other !== part) })
  const path = join(source.dir, part.file)
  if (existsSync(path)) renameSync(path, join(folder, name))
  return note
}

/** After a failed read: which of the source's parts named in the message are truly damaged. */
export async function findDamage(
  connection: DuckDBConnection,
  source: SourceStore,
  message: string,
): Promise<{ part: Part; reason: string }[]> {
  const found: { part: Part; reason: string }[] = []
  for (const part of source.manifest.parts) {
    const path = join(source.dir, part.file)
    if (!message.includes(path)) continue
    const reason = outerDamage(path, part.bytes) ?? (await innerDamage(connection, path))
    if (reason) found.push({ part, reason })
  }
  return found
}

/** What was set aside earlier, from the notes beside the files. */
export function knownDamage(sourceDir: string): DamagedPart[] {
  const folder = join(sourceDir, FOLDER)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name): DamagedPart => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}
