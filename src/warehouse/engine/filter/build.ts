/**
 * Makes a part's filter by reading the part. Measured per million log events: half a second of CPU for messages, 0.3 for
 * a field. So only what queries look for is marked, and of those only fields whose values are mostly different.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBBlobValue } from '@duckdb/node-api'
import type { Part } from '../../manifest.ts'
import { quoteName, quoteText } from '../columns.ts'
import { type Filter, MARK_BYTES, MESSAGE, MOST_SHARE, type Section, TIME_BYTES } from './filter.ts'
import { MARKS, markTrigrams } from './trigrams.ts'
import { createHash, hashProbe, marksSql } from './values.ts'

/**
 * Fewer rows in a granule make it more selective and the filter larger. At 4096 rows a field has eight marks for each
 * of its values; parts that compress very well get larger granules to stay within their share.
 */
const GRANULE_ROWS = 4_096
const MOST_GRANULE_ROWS = 65_536

/** More than a header takes. */
const HEADER_BYTES = 4_096

/** Granules are made larger for two sets of marks, but not for more. */
const ENOUGH_SECTIONS = 2

/** A field is worth a set of marks when its values repeat seldom and are mostly there. */
const LEAST_DISTINCT = 0.5
const LEAST_PRESENT = 0.25

/** Messages of about this many bytes are held in memory at once. */
const BATCH_BYTES = 32 * 1024 * 1024
/** Parts are about this much smaller than what is read from them. */
const UNPACKED = 12

type Granule = { minUs: number; maxUs: number; trigrams: Uint8Array; values: Uint8Array[] }

/** A field of text in a part, and its column in the engine's words. */
type Chosen = { field: string; column: string }

/** What of a part is worth marking. */
export type Plan = { hasTrigrams: boolean; fields: Chosen[] }

export async function planFilter(
  connection: DuckDBConnection,
  path: string,
  wanted: ReadonlySet<string>,
): Promise<Plan> {
  return { hasTrigrams: wanted.has(MESSAGE), fields: await chooseFields(connection, path, wanted) }
}

/** Null when there is nothing to mark, or the part's share has no room for it. */
export async function buildFilter(
  connection: DuckDBConnection,
  path: string,
  part: Part,
  { hasTrigrams, fields }: Plan,
): Promise<Filter | null> {
  const room = roomIn(part, fields.length + (hasTrigrams ? 1 : 0))
  if (!room) return null
  const chosen = fields.slice(0, room.sections - (hasTrigrams ? 1 : 0))
  const granuleBytes = (UNPACKED * part.bytes * room.rows) / part.rows
  const batchRows = room.rows * Math.max(1, Math.floor(BATCH_BYTES / granuleBytes))
  const granules: Granule[] = []
  for (let from = 0; from < part.rows; from += batchRows) {
    const rows = { from, upTo: from + batchRows }
    granules.push(...(await readGranules(connection, path, room.rows, rows, { hasTrigrams, fields: chosen })))
  }
  const trigrams: Section = {
    kind: 'trigrams',
    field: MESSAGE,
    marks: Buffer.concat(granules.map((of) => of.trigrams)),
  }
  return {
    hash: await hashProbe(createHash(connection)),
    times: new Float64Array(granules.flatMap(({ minUs, maxUs }) => [minUs, maxUs])),
    sections: [
      ...(hasTrigrams ? [trigrams] : []),
      ...chosen.map(({ field }, i): Section => {
        return { kind: 'values', field, marks: Buffer.concat(granules.map(({ values }) => values[i]!)) }
      }),
    ],
  }
}

/** How many rows make a granule, and how many of the sets of marks there is room for. */
function roomIn({ bytes, rows }: Part, wishes: number): { rows: number; sections: number } | null {
  if (wishes === 0) return null
  for (let granuleRows = GRANULE_ROWS; granuleRows <= MOST_GRANULE_ROWS; granuleRows *= 2) {
    const room = (MOST_SHARE * bytes - HEADER_BYTES) / Math.ceil(rows / granuleRows)
    const sections = Math.min(wishes, Math.floor((room - TIME_BYTES) / MARK_BYTES))
    const isLast = granuleRows === MOST_GRANULE_ROWS
    if (sections >= Math.min(wishes, ENOUGH_SECTIONS) || (isLast && sections > 0))
      return { rows: granuleRows, sections }
  }
  return null
}

async function chooseFields(
  connection: DuckDBConnection,
  path: string,
  wanted: ReadonlySet<string>,
): Promise<Chosen[]> {
  const candidates = (await textFields(connection, path)).filter(({ field }) => wanted.has(field))
  if (candidates.length === 0) return []
  const looks = candidates.map(({ column }) => `count(${column}), approx_count_distinct(${column})`)
  const sample = `read_parquet(${quoteText(path)}) WHERE file_row_number < ${GRANULE_ROWS}`
  const found = await connection.runAndReadAll(`SELECT count(*), ${looks.join(', ')} FROM ${sample}`)
  const [rows, ...counts] = found.getRows()[0]!.map(Number)
  return candidates.filter((_, i) => {
    const [present, distinct] = [counts[2 * i]!, counts[2 * i + 1]!]
    return present >= LEAST_PRESENT * rows! && distinct >= LEAST_DISTINCT * present
  })
}

/** The fields of text that the part has, except the message and those in lists. */
async function textFields(connection: DuckDBConnection, path: string): Promise<Chosen[]> {
  const found = await connection.runAndReadAll(
    `SELECT name, num_children, repetition_type, converted_type FROM parquet_schema(${quoteText(path)})`,
  )
  const nodes = found.getRows().map(([name, children, repetition, type]) => ({
    name: String(name),
    children: Number(children ?? 0),
    isList: repetition === 'REPEATED' || type === 'LIST' || type === 'MAP',
    isText: type === 'UTF8',
  }))
  const fields: Chosen[] = []
  let at = 1 // behind the root
  // A node stands before its children, as many as it says it has.
  const read = (names: string[], inList: boolean): void => {
    const { name, children, isList, isText } = nodes[at]!
    at += 1
    const own = [...names, name]
    if (children === 0 && isText && !inList && !isList)
      fields.push({ field: own.join('.'), column: own.map(quoteName).join('.') })
    for (let child = 0; child < children; child += 1) read(own, inList || isList)
  }
  while (at < nodes.length) read([], false)
  return fields.filter(({ field }) => field !== MESSAGE)
}

async function readGranules(
  connection: DuckDBConnection,
  path: string,
  granuleRows: number,
  { from, upTo }: { from: number; upTo: number },
  { hasTrigrams, fields }: Plan,
): Promise<Granule[]> {
  const columns = [
    'epoch_us(min("timestamp"))',
    'epoch_us(max("timestamp"))',
    // One text for all messages: handing over each on its own costs ten times as much.
    hasTrigrams ? 'encode(string_agg(event_message, chr(10)))' : 'NULL',
    ...fields.map(({ column }) => marksSql(column)),
  ]
  const found = await connection.runAndReadAll(
    `SELECT ${columns.join(', ')} FROM read_parquet(${quoteText(path)}) ` +
      `WHERE file_row_number >= ${from} AND file_row_number < ${upTo} GROUP BY file_row_number // ${granuleRows}`,
  )
  return found.getRows().map(([minUs, maxUs, text, ...values]) => ({
    minUs: Number(minUs),
    maxUs: Number(maxUs),
    trigrams: packedTrigrams(bytesOf(text)),
    values: values.map((value) => (value === null ? new Uint8Array(MARK_BYTES) : bytesOf(value))),
  }))
}

const bytesOf = (value: unknown): Uint8Array => (value instanceof DuckDBBlobValue ? value.bytes : new Uint8Array())

function packedTrigrams(text: Uint8Array): Uint8Array {
  const marks = new Uint8Array(MARKS)
  markTrigrams(text, marks)
  const packed = new Uint8Array(MARK_BYTES)
  for (let mark = 0; mark < MARKS; mark += 1) packed[mark >>> 3]! |= marks[mark]! << (mark & 7)
  return packed
}
