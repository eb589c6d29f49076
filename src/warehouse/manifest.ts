/**
 * The manifest of a source is the truth about its parts: one JSON file, replaced by rename. It also holds the journal
 * position up to which the source is loaded, so that parts and position become true in the same instant: a crash
 * between writing a part and the rename leaves a file nobody names, and the rows are loaded again from the journal.
 *
 * `<warehouse>/<source token>/manifest.json`, parts beside it as `<day>/<name>.parquet`.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isUuid } from '../base/ids.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Position } from '../model/journal.ts'

export type Part = {
  /** Path below the source's folder. */
  file: string
  /** UTC day, `2026-11-15`. */
  day: string
  rows: number
  bytes: number
  minUs: number
  maxUs: number
  /** Parts with the same shape have exactly the same columns. */
  shape: string
  /** CRC-32 of the file. Parts written before it was recorded have none. */
  crc?: number
  /** The filter beside the part: its length, and the fields that it was made for. A part without one is read as a whole. */
  filter?: { bytes: number; fields: string[] }
}

export type Manifest = {
  version: 1
  /** Frames of this source that end at or before this position are in parts (or belong to a deleted past). */
  position: Position
  /** Rows ever loaded, expired ones included, and those that were passed over because they live elsewhere. */
  rowsLoaded: number
  /** Number of the next part file. */
  nextPart: number
  fields: FlatFields
  parts: Part[]
  /** Events in frames from here on live elsewhere, and are passed over. */
  awayFrom?: Position
  deleted?: true
}

export const emptyManifest = (): Manifest => ({
  version: 1,
  position: 0,
  rowsLoaded: 0,
  nextPart: 1,
  fields: {},
  parts: [],
})

export function readManifest(dir: string): Manifest | null {
  let text: string
  try {
    text = readFileSync(join(dir, 'manifest.json'), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const manifest: Manifest = JSON.parse(text)
  if (manifest.version !== 1)
    throw new Error(`${dir}: manifest version ${manifest.version} is not known to this release`)
  return manifest
}

export function writeManifest(dir: string, manifest: Manifest): void {
  mkdirSync(dir, { recursive: true })
  const temporary = join(dir, 'manifest.json.new')
  const file = openSync(temporary, 'w')
  try {
    // Not writeSync: on a disk that is nearly full it writes a part of the text and calls that a success.
    writeFileSync(file, JSON.stringify(manifest))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, join(dir, 'manifest.json'))
  syncPath(dir)
}

/** Makes a file's bytes, or a folder's entries, durable. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Tokens of the sources that have a folder here. */
export function storedSources(warehouseDir: string): string[] {
  return readdirSync(warehouseDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isUuid(entry.name))
    .map((entry) => entry.name)
}
