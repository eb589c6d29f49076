/**
 * Key-values of a file: JSON (a list of `{key, value}`, or one object from key to value), NDJSON (one entry a line) or
 * CSV (a column `key`; each other column is a field of the value, or one column `value` holds it as JSON).
 * All entries must hold: what is wrong is told with its place, and nothing is half read.
 */
import type { Entry } from '../../api/key-values.ts'
import { readCsv } from './csv.ts'

export type Read = { entries: Entry[] } | { problems: string[] }

const PROBLEMS_SHOWN = 5

export function readFile(name: string, text: string): Read {
  const content = text.replace(/^\uFEFF/, '')
  if (content.trim() === '') return { problems: ['The file is empty.'] }
  const kind = kindOf(name, content)
  const read =
    kind === 'csv' ? entriesOfCsv(content) : kind === 'ndjson' ? entriesOfLines(content) : entriesOfJson(content)
  if (read.problems.length > 0) {
    const more = read.problems.length - PROBLEMS_SHOWN
    return { problems: [...read.problems.slice(0, PROBLEMS_SHOWN), ...(more > 0 ? [`And ${more} more.`] : [])] }
  }
  return read.entries.length === 0 ? { problems: ['The file holds no entries.'] } : { entries: read.entries }
}

function kindOf(name: string, text: string): 'csv' | 'ndjson' | 'json' {
  if (/\.csv$/i.test(name)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  if (/\.json$/i.test(name) && jsonOf(text).ok) return 'json'
  if (/^\s*[[{]/.test(text)) return jsonOf(text).ok || !/\}\s*\n\s*\{/.test(text) ? 'json' : 'ndjson'
  return 'csv'
}

type Found = { entries: Entry[]; problems: string[] }

function entriesOfJson(text: string): Found {
  const json = jsonOf(text)
  if (!json.ok) return { entries: [], problems: [`The file is no JSON: ${json.problem}`] }
  if (Array.isArray(json.value)) return gather(json.value.map((item, at) => entryOf(item, `Entry ${at + 1}`)))
  if (!isRecord(json.value))
    return { entries: [], problems: ['The file must hold a list, or an object from key to value.'] }
  if (isEntry(json.value)) return gather([entryOf(json.value, 'Entry 1')])
  return gather(Object.entries(json.value).map(([key, value]) => entryOf({ key, value }, `Key ${key}`)))
}

function entriesOfLines(text: string): Found {
  const lines = text.split('\n').map((line, at) => ({ line: line.trim(), place: `Line ${at + 1}` }))
  return gather(
    lines
      .filter(({ line }) => line !== '')
      .map(({ line, place }) => {
        const json = jsonOf(line)
        return json.ok ? entryOf(json.value, place) : `${place} is no JSON: ${json.problem}`
      }),
  )
}

function entriesOfCsv(text: string): Found {
  const [names = [], ...rows] = readCsv(text)
  const at = names.findIndex((name) => name.trim().toLowerCase() === 'key')
  if (at < 0) return { entries: [], problems: ['The first line must name the columns, and one of them must be key.'] }
  const others = names.map((name, index) => ({ name: name.trim(), index })).filter(({ index }) => index !== at)
  const isWhole = others.length === 1 && others[0]?.name.toLowerCase() === 'value'
  return gather(
    rows.map((cells, row) => {
      const place = `Row ${row + 2}`
      const key = cells[at] ?? ''
      if (!isWhole) {
        const fields = others.flatMap(({ name, index }) => (cells[index] ? [[name, cells[index]] as const] : []))
        return entryOf({ key, value: Object.fromEntries(fields) }, place)
      }
      const json = jsonOf(cells[others[0]?.index ?? 0] ?? '')
      return json.ok ? entryOf({ key, value: json.value }, place) : `${place}: value is no JSON: ${json.problem}`
    }),
  )
}

/** The entry, or what is wrong with it. */
function entryOf(item: unknown, place: string): Entry | string {
  if (!isRecord(item)) return `${place} is no object with key and value.`
  const { key, value } = item
  if (typeof key !== 'string' || key === '') return `${place} has no key.`
  if (!isRecord(value) || Object.keys(value).length === 0) return `${place}: the value must be an object with a field.`
  return { key, value }
}

function gather(results: (Entry | string)[]): Found {
  return {
    entries: results.filter((result) => typeof result !== 'string'),
    problems: results.filter((result) => typeof result === 'string'),
  }
}

type Json = { ok: true; value: unknown } | { ok: false; problem: string }

function jsonOf(text: string): Json {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it cannot be read' }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEntry = (value: Record<string, unknown>): boolean => typeof value.key === 'string' && isRecord(value.value)
