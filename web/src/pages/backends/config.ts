/**
 * The config of a backend while it is being typed, and what is sent of it. Everything that is typed is text, so a field
 * may be empty or half a number; a secret that is stored is `KEPT` until somebody types another.
 */
import type { BackendField, BackendType } from '../../api/records.ts'

export type Pair = { name: string; value: string }
export type Draft = Record<string, string | boolean | Pair[] | typeof KEPT>

export const KEPT = null
const COVERED = 'REDACTED'

export function draftOf({ fields }: BackendType, stored: Record<string, unknown> | null): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, draftValue(field, stored?.[field.name])]))
}

function draftValue(field: BackendField, stored: unknown): Draft[string] {
  if (field.secret && stored === COVERED) return KEPT
  const value = stored ?? field.default
  if (field.input === 'switch') return value === true
  if (field.input === 'pairs') {
    const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : []
    return pairs.map(([name, text]) => ({ name, value: String(text) }))
  }
  return value === null || value === undefined ? '' : String(value)
}

/** Fields that the choices made so far take. */
export const shownFields = ({ fields }: BackendType, draft: Draft): BackendField[] =>
  fields.filter(({ only_with }) => only_with === null || only_with.values.includes(String(draft[only_with.field])))

/** A stored field that was emptied, or that the choice no longer takes, is taken out; a new one is left out. */
export function configOf(
  type: BackendType,
  draft: Draft,
  stored: Record<string, unknown> | null,
): Record<string, unknown> {
  const shown = new Set(shownFields(type, draft).map(({ name }) => name))
  const entries = type.fields.map(({ name, input }): [string, unknown] => {
    const value = draft[name]
    if (!shown.has(name)) return [name, null]
    if (value === KEPT) return [name, COVERED]
    if (Array.isArray(value)) return [name, Object.fromEntries(value.flatMap((pair) => entryOf(pair)))]
    if (typeof value !== 'string') return [name, value]
    if (value.trim() === '') return [name, null]
    return [name, input === 'number' ? Number(value) : value]
  })
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || (stored !== null && name in stored)))
}

const entryOf = ({ name, value }: Pair): [string, string][] => (name.trim() === '' ? [] : [[name.trim(), value]])
