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
import { checksumOf } from './checksum.ts'
import { quoteText } from './columns.ts'
import type { SourceStore, Store } from './store.ts'

const MAGIC = 'PAR1'
const FOLDER = 'damaged'

export type FoundDamage = { part: Part; reason: string }

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

/** What is wrong with a part, all its bytes read; null when all is well. */
async function damageOf(connection: DuckDBConnection, source: SourceStore, part: Part): Promise<string | null> {
  const path = join(source.dir, part.file)
  const outer = outerDamage(path, part.bytes)
  if (outer) return outer
  if (part.crc === undefined) return innerDamage(connection, path)
  return (await checksumOf(path)) === part.crc ? null : 'the bytes of the file are not those that were written'
}

/** For parts without a checksum: reads every value. */
async function innerDamage(connection: DuckDBConnection, path: string): Promise<string | null> {
  try {
    // Column by column: a name for the whole row would mean a field of that name, if the source has one.
    await connection.run(`SELECT max(hash(COLUMNS(*))) FROM read_parquet(${quoteText(path)})`)
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
  store.commit(source, { ...source.manifest, parts: source.manifest.parts.filter(({ file }) => file !== part.file) })
  const path = join(source.dir, part.file)
  if (existsSync(path)) renameSync(path, join(folder, name))
  return note
}

/**
 * Whether a failed read may be a part's fault. Some damage is reported with the file's name, some (in the lengths of
 * its inner structures) as an error of no kind.
 */
export const mayBeDamage = (message: string): boolean =>
  message.includes('.parquet') || message.startsWith('Invalid Error:')

/** Which parts are truly damaged: of those the message names, or of all when it names none. */
export async function findDamage(
  connection: DuckDBConnection,
  source: SourceStore,
  message: string,
): Promise<FoundDamage[]> {
  if (!mayBeDamage(message)) return []
  const { parts } = source.manifest
  const named = parts.filter((part) => message.includes(join(source.dir, part.file)))
  return examine(connection, source, message.includes('.parquet') ? named : parts)
}

export async function examine(
  connection: DuckDBConnection,
  source: SourceStore,
  parts: Part[],
): Promise<FoundDamage[]> {
  const found: FoundDamage[] = []
  for (const part of parts) {
    const reason = await damageOf(connection, source, part)
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
