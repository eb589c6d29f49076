/**
 * Freezes a moment of a data folder. Parts never change, so hard links hold them, whatever is merged or expired
 * meanwhile. The journal is held first, then readers' positions are taken, then the manifests, then the journal's end.
 * So every row that a manifest does not count as loaded stands in the journal after the warehouse's position and before
 * that end, and every row that it does count lies before the end too.
 */
import { copyFile, link, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Fault } from '../base/faults.ts'
import { copyCatalog } from '../catalog/copy.ts'
import type { Stretch } from '../journal/journal.ts'
import type { Position } from '../model/journal.ts'
import { type Manifest, readManifest, storedSources } from '../warehouse/manifest.ts'

/** A file of the backup: the first `bytes` of a file on disk, or a text. */
export type Piece = { name: string } & ({ path: string; bytes: number } | { text: string })

export type Moment = { pieces: Piece[]; position: Position; hasSecretKey: boolean }

/** The journal as it is held for the backup. */
export type HeldJournal = {
  /** `positions.json`; null when there is none. */
  positions(): Promise<string | null>
  stretches(): Promise<{ end: Position; stretches: Stretch[] }>
}

export type Places = {
  dataDir: string
  /** An empty folder on the same disk, removed when the backup is through. */
  staging: string
  /** Null when it lives in a database of its own. */
  catalogFile: string | null
  withSecretKey: boolean
}

export async function gather(journal: HeldJournal, places: Places): Promise<Moment> {
  const { dataDir, staging, catalogFile, withSecretKey } = places
  await mkdir(staging, { recursive: true, mode: 0o700 })
  // Before the manifests: a position ahead of one would have its rows skipped.
  const positions = await journal.positions()
  const warehouse = join(dataDir, 'warehouse')
  const parts: Piece[] = []
  for (const token of storedSources(warehouse)) parts.push(...(await holdParts(warehouse, token, staging)))
  const { end, stretches } = await journal.stretches()
  const frames = await Promise.all(stretches.map(journalPiece))
  // After the journal, so that it knows every source that has events.
  const catalog = catalogFile === null ? [] : [await catalogPiece(catalogFile, staging)]
  const key = withSecretKey ? await keyPiece(join(dataDir, 'secret.key')) : []
  return {
    pieces: [
      ...key,
      ...catalog,
      ...(positions === null ? [] : [{ name: 'journal/positions.json', text: positions }]),
      ...frames,
      ...parts,
    ],
    position: end,
    hasSecretKey: key.length > 0,
  }
}

/** A part that is gone was merged or has expired: the manifest says by now what took its place. */
async function holdParts(warehouse: string, token: string, staging: string): Promise<Piece[]> {
  let before: Manifest | null = null
  for (;;) {
    const manifest = readManifest(join(warehouse, token))
    if (!manifest) return []
    const pieces: Piece[] = []
    const missing = await holdAll(manifest, join(warehouse, token), join(staging, token), `warehouse/${token}`, pieces)
    if (missing === null)
      return [...pieces, { name: `warehouse/${token}/manifest.json`, text: JSON.stringify(manifest) }]
    if (before && JSON.stringify(before) === JSON.stringify(manifest))
      throw new Fault('unavailable', `The part ${token}/${missing} is missing, so no whole backup can be made.`)
    before = manifest
  }
}

/** Answers the first part that is not there. */
async function holdAll(manifest: Manifest, from: string, to: string, prefix: string, into: Piece[]) {
  for (const { file, bytes, filter } of manifest.parts) {
    if (!(await hold(join(from, file), join(to, file)))) return file
    into.push({ name: `${prefix}/${file}`, path: join(to, file), bytes })
    if (!filter) continue
    const beside = file.replace(/\.parquet$/, '.filter')
    // Nothing but time is lost without it.
    if (await hold(join(from, beside), join(to, beside)))
      into.push({ name: `${prefix}/${beside}`, path: join(to, beside), bytes: filter.bytes })
  }
  return null
}

/** False when the file is not there. */
async function hold(path: string, target: string): Promise<boolean> {
  try {
    await mkdir(dirname(target), { recursive: true })
    await link(path, target).catch((error: unknown) => {
      if (hasCode(error, 'EEXIST')) return
      if (!hasCode(error, 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS')) throw error
      return copyFile(path, target)
    })
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** Where the disk lost bytes there are fewer than the journal's positions say. */
async function journalPiece({ name, path, bytes }: Stretch): Promise<Piece> {
  return { name: `journal/${name}`, path, bytes: Math.min(bytes, (await stat(path)).size) }
}

async function catalogPiece(file: string, staging: string): Promise<Piece> {
  const path = join(staging, 'catalog.sqlite')
  await rm(path, { force: true })
  await copyCatalog(file, path)
  return { name: 'catalog.sqlite', path, bytes: (await stat(path)).size }
}

async function keyPiece(path: string): Promise<Piece[]> {
  try {
    return [{ name: 'secret.key', text: await readFile(path, 'utf8') }]
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
