/** The filters of parts, read when they are first asked for. The ones used last stay in memory, up to a bound. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../../manifest.ts'
import { decodeFilter, type Filter, filterFile } from './filter.ts'

export type Filters = {
  /** Null when the part has none, or one that cannot be read. */
  of(sourceDir: string, part: Part): Filter | null
}

const KEPT_BYTES = 64 * 1024 * 1024

export function createFilters({ keptBytes = KEPT_BYTES }: { keptBytes?: number } = {}): Filters {
  const kept = new Map<string, { filter: Filter | null; bytes: number }>()
  let bytes = 0

  return {
    of(sourceDir, part) {
      if (!part.filter) return null
      // A part gets another filter when more fields are looked for.
      const path = join(sourceDir, filterFile(part.file))
      const key = `${path} ${part.filter.fields.join(' ')}`
      const known = kept.get(key)
      if (known) {
        kept.delete(key)
        kept.set(key, known)
        return known.filter
      }
      const entry = { filter: readFilter(path, part.filter.bytes), bytes: part.filter.bytes }
      kept.set(key, entry)
      bytes += entry.bytes
      for (const [oldest, { bytes: freed }] of kept) {
        if (bytes <= keptBytes || oldest === key) break
        kept.delete(oldest)
        bytes -= freed
      }
      return entry.filter
    },
  }
}

export function readFilter(path: string, bytes: number): Filter | null {
  try {
    const found = readFileSync(path)
    return found.length === bytes ? decodeFilter(found) : null
  } catch {
    // A filter only saves time. Whatever is wrong with it, the part itself answers.
    return null
  }
}
