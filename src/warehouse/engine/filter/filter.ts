/**
 * A part's filter: for every few thousand of its rows (a granule), which times they span and which marks they set.
 * There may be a set of marks for the trigrams of `event_message` and one for each of a few fields whose values are
 * mostly different, such as trace ids. Parts get marks for what queries of their source have looked for.
 *
 * Promises: a mark that is not set means that no row of the granule holds what would set it. It lies beside its part and
 * takes at most a twentieth of the part's size. Refuses nothing: without a filter, or with one that cannot be read, the
 * part is read as if there were none. The bytes are described in `docs/formats/warehouse.md`.
 */
import { crc32 } from 'node:zlib'
import { MARKS } from './trigrams.ts'

export type Kind = 'trigrams' | 'values'

/** One set of marks per granule, one after the other. */
export type Section = { kind: Kind; field: string; marks: Uint8Array }

export type Filter = {
  /** The granules' first and last times in turn, in microseconds. */
  times: Float64Array
  /** What the engine's hash of a known text was: values are marked by that hash, and another release may have another. */
  hash: string
  sections: Section[]
}

/** The field whose trigrams are marked, and not its values. */
export const MESSAGE = 'event_message'

export const MARK_BYTES = MARKS / 8
export const TIME_BYTES = 16

/** The most a filter may take of its part. */
export const MOST_SHARE = 0.05

const MAGIC = 'MRF1'
const CRC_BYTES = 4

export const granulesOf = ({ times }: Filter): number => times.length / 2

export const filterFile = (partFile: string): string => partFile.replace(/\.parquet$/, '.filter')

type Header = { hash: string; granules: number; sections: { kind: Kind; field: string }[] }

export function encodeFilter(filter: Filter): Buffer {
  const { hash, times, sections } = filter
  const header: Header = {
    hash,
    granules: granulesOf(filter),
    sections: sections.map(({ kind, field }) => ({ kind, field })),
  }
  // Padded, so that the times can be read in place.
  const words = JSON.stringify(header)
  const text = Buffer.from(words + ' '.repeat((8 - (Buffer.byteLength(words) % 8)) % 8))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  const bytes = Buffer.concat([
    Buffer.from(MAGIC),
    length,
    text,
    Buffer.from(times.buffer, times.byteOffset, times.byteLength),
    ...sections.map(({ marks }) => marks),
    Buffer.alloc(CRC_BYTES),
  ])
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -CRC_BYTES)), bytes.length - CRC_BYTES)
  return bytes
}

/** Null for anything but a whole and undamaged filter. */
export function decodeFilter(bytes: Buffer): Filter | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== MAGIC) return null
  if (crc32(bytes.subarray(0, -CRC_BYTES)) !== bytes.readUInt32LE(bytes.length - CRC_BYTES)) return null
  const start = 8 + bytes.readUInt32LE(4)
  const { hash, granules, sections }: Header = JSON.parse(bytes.toString('utf8', 8, start))
  const from = start + granules * TIME_BYTES
  const size = granules * MARK_BYTES
  return {
    hash,
    times: new Float64Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + from)),
    sections: sections.map(({ kind, field }, i) => ({
      kind,
      field,
      marks: bytes.subarray(from + i * size, from + (i + 1) * size),
    })),
  }
}

export const isSet = (marks: Uint8Array, granule: number, mark: number): boolean =>
  (marks[granule * MARK_BYTES + (mark >>> 3)]! & (1 << (mark & 7))) !== 0

/** The filter of a part that holds the rows of several: their granules, and the sections that all of them have. */
export function joinFilters([first, ...rest]: Filter[]): Filter | null {
  if (!first || rest.some(({ hash }) => hash !== first.hash)) return null
  const all = [first, ...rest]
  const times = new Float64Array(all.flatMap((filter) => [...filter.times]))
  const sections = first.sections.flatMap(({ kind, field }): Section[] => {
    const parts = all.map((filter) => sectionOf(filter, kind, field))
    return parts.every((part) => part !== undefined)
      ? [{ kind, field, marks: Buffer.concat(parts.map(({ marks }) => marks)) }]
      : []
  })
  return sections.length === 0 ? null : { hash: first.hash, times, sections }
}

/** Says of a small part that it may hold anything, in the form of another filter. */
export const openFilter = ({ hash, sections }: Filter, { minUs, maxUs }: { minUs: number; maxUs: number }): Filter => ({
  hash,
  times: new Float64Array([minUs, maxUs]),
  sections: sections.map(({ kind, field }) => ({ kind, field, marks: new Uint8Array(MARK_BYTES).fill(0xff) })),
})

export const sectionOf = ({ sections }: Filter, kind: Kind, field: string): Section | undefined =>
  sections.find((section) => section.kind === kind && section.field === field)
