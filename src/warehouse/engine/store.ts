/**
 * What the engine knows of one source: its manifest (parts on disk), its fields as of the journal, and its fresh rows,
 * cut from the journal and not yet in parts. Reading takes a snapshot; files of a snapshot stay on disk until the
 * last reader that could hold them is done.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addFields, type Fields, type FlatFields, flatFields } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import { emptyManifest, type Manifest, type Part, readManifest, writeManifest } from '../manifest.ts'
import { shapeOf } from './columns.ts'
import { filterFile } from './filter/filter.ts'

/** A file of raw rows in journal order. */
export type FreshFile = {
  path: string
  rows: number
  bytes: number
  minUs: number
  maxUs: number
  /** Journal position of its first frame, and behind its last one. */
  from: Position
  next: Position
  cutAtMs: number
}

export type SourceStore = {
  readonly token: string
  readonly dir: string
  manifest: Manifest
  fields: Fields
  /** The shape that parts with all these fields have. */
  shape: string
  fresh: FreshFile[]
  /** Fields that queries look for texts in; their parts get filters. */
  wanted: Set<string>
  /** Behind the last frame that was passed over because its events live elsewhere, and rows that are not counted yet. */
  passedTo: Position
  passedRows: number
  /** Where the first journal frame stands whose fields are not in the manifest yet. */
  unsavedFieldsFrom: Position | null
  retentionDays: number
}

const DEFAULT_RETENTION_DAYS = 7

export type Store = {
  source(token: string): SourceStore
  sources(): Iterable<SourceStore>
  addFields(source: SourceStore, flat: FlatFields, from: Position): void
  /** Makes the manifest true on disk and in memory. */
  commit(source: SourceStore, manifest: Manifest): void
  remove(source: SourceStore, end: Position): void
  /** Deletes what was cut up to `end`, and keeps the fields. */
  clear(source: SourceStore, end: Position): void
  forget(source: SourceStore): void
  /** Deletes files once no reader started before now can still need them. */
  retire(paths: string[]): void
  read<T>(work: () => Promise<T>): Promise<T>
}

export function createStore({ dir }: { dir: string }): Store {
  const sources = new Map<string, SourceStore>()
  let retired: { path: string; era: number }[] = []
  const readers = new Map<number, number>() // era → readers that began in it
  let era = 0

  function source(token: string): SourceStore {
    let known = sources.get(token)
    if (!known) {
      const sourceDir = join(dir, token)
      const manifest = readManifest(sourceDir) ?? emptyManifest()
      const fields: Fields = new Map()
      addFields(fields, manifest.fields)
      known = {
        token,
        dir: sourceDir,
        manifest,
        fields,
        shape: shapeOf(fields),
        wanted: new Set(manifest.parts.flatMap(({ filter }) => filter?.fields ?? [])),
        fresh: [],
        passedTo: 0,
        passedRows: 0,
        unsavedFieldsFrom: null,
        retentionDays: DEFAULT_RETENTION_DAYS,
      }
      sources.set(token, known)
    }
    return known
  }

  function sweep(): void {
    const oldest = Math.min(...readers.keys())
    const free = retired.filter((file) => file.era < oldest)
    retired = retired.filter((file) => file.era >= oldest)
    for (const { path } of free) rmSync(path, { recursive: true, force: true })
  }

  return {
    source,
    sources: () => sources.values(),
    addFields(known, flat, from) {
      addFields(known.fields, flat)
      known.shape = shapeOf(known.fields)
      known.unsavedFieldsFrom ??= from
    },
    commit(known, manifest) {
      writeManifest(known.dir, manifest)
      known.manifest = manifest
    },
    remove(known, end) {
      // The tombstone keeps frames that are still in the journal from bringing the source back after a restart.
      const paths = [...filesOf(known, known.manifest.parts), ...known.fresh.map((f) => f.path)]
      this.commit(known, { ...emptyManifest(), position: end, deleted: true })
      known.fresh = []
      known.fields = new Map()
      known.shape = shapeOf(known.fields)
      this.retire(paths)
    },
    clear(known, end) {
      const paths = [...filesOf(known, known.manifest.parts), ...known.fresh.map((f) => f.path)]
      // Frames up to here are not read again after a restart, so the fields they brought are saved now.
      this.commit(known, { ...known.manifest, position: end, parts: [], fields: flatFields(known.fields) })
      known.fresh = []
      known.unsavedFieldsFrom = null
      this.retire(paths)
    },
    forget(known) {
      sources.delete(known.token)
      this.retire([known.dir])
    },
    retire(paths) {
      for (const path of paths) retired.push({ path, era })
      era += 1
      sweep()
    },
    async read(work) {
      const mine = era
      readers.set(mine, (readers.get(mine) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const left = readers.get(mine)! - 1
        if (left > 0) readers.set(mine, left)
        else readers.delete(mine)
        sweep()
      }
    },
  }
}

/** Everything on disk that belongs to these parts. */
export const filesOf = (source: SourceStore, parts: Part[]): string[] =>
  parts.flatMap(({ file, filter }) =>
    [file, ...(filter ? [filterFile(file)] : [])].map((each) => join(source.dir, each)),
  )

export function folderFor(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
}
