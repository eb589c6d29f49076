/** Looking into events: values by path, levels, and everything in them as a flat list. */
import type { LogEvent } from '../../api/records.ts'
import { type Level, levelOf } from '../../design/badge.tsx'

/** The value at a path such as `metadata.request.path`; a list on the way gives the values of its elements. */
export function valueAt(event: LogEvent, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => memberOf(value, name), event)
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    const found = value.map((element) => memberOf(element, name)).filter((element) => element !== undefined)
    return found.length === 0 ? undefined : found
  }
  return isRecord(value) ? value[name] : undefined
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const LEVEL_PATHS = ['metadata.level', 'level', 'metadata.severity', 'severity', 'metadata.severity_text']
const STATUS_PATHS = ['metadata.status_code', 'metadata.response.status_code', 'metadata.status', 'status']

/** What the sender called it, and which level that is; a status code speaks where no level was sent. */
export function levelIn(event: LogEvent): { name: string; level: Level } | null {
  for (const path of LEVEL_PATHS) {
    const name = valueAt(event, path)
    const level = levelOf(name)
    if (level) return { name: String(name), level }
  }
  for (const path of STATUS_PATHS) {
    const status = Number(valueAt(event, path))
    if (status >= 500 && status < 600) return { name: String(status), level: 'error' }
    if (status >= 400 && status < 500) return { name: String(status), level: 'warning' }
    if (status >= 100 && status < 400) return { name: String(status), level: 'info' }
  }
  return null
}

/** A value on one line. */
export function inline(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const STANDARD = new Set(['id', 'timestamp', 'event_message'])

/** What an event without a message shows instead. */
export function summaryOf(event: LogEvent): string {
  if (event.event_message !== null && event.event_message !== undefined) return event.event_message
  const rest = Object.entries(event).filter(([name]) => !STANDARD.has(name))
  return rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest))
}

const LOOKED_AT = 100

/** The names under which an event shows what `s:` clauses ask for; none when it is shown whole. */
export function selectedIn(lql: string, events: readonly LogEvent[]): string[] {
  if (!/(?:^|\s)s(?:elect)?:(?!\*)/.test(lql)) return []
  const names = new Set(events.slice(0, LOOKED_AT).flatMap((event) => Object.keys(event)))
  return [...names].filter((name) => !STANDARD.has(name))
}

export type Leaf = { path: string; name: string; depth: number; value: unknown; isBranch: boolean }

/** Every field in the order in which it is read; the elements of a list share its path. */
export function leavesOf(value: unknown, path = '', depth = 0): Leaf[] {
  return entriesOf(value).flatMap(([name, member]) => {
    const memberPath = Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`
    const isBranch = typeof member === 'object' && member !== null
    const leaf = { path: memberPath, name, depth, value: member, isBranch }
    return isBranch ? [leaf, ...leavesOf(member, memberPath, depth + 1)] : [leaf]
  })
}

const entriesOf = (value: unknown): [string, unknown][] =>
  Array.isArray(value) ? value.map((element, i) => [String(i), element]) : isRecord(value) ? Object.entries(value) : []
