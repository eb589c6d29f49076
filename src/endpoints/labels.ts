/**
 * The labels of a query. The endpoint's list says which keys may be: `key=value` (fixed, unless the header says
 * otherwise), `key=@parameter`, `key`. A parameter wins over the header, the header over a fixed value; a key that gets
 * no value is left out.
 */
import type { Values } from '../query/bind.ts'

export type Labels = Record<string, string>

const VERSION_LABEL = 'endpoint_version'
const VALUE_MAX = 1_000

export function resolveLabels(
  allowed: string | null,
  { header, values, version }: { header: string | undefined; values: Values; version: number | null },
): Labels {
  const labels: Labels = Object.create(null)
  const sent = allowed && header ? new Map(entries(header)) : null
  for (const [key, written] of allowed ? entries(allowed) : []) {
    const value = fromParameter(written, values) ?? sent?.get(key) ?? (written?.startsWith('@') ? undefined : written)
    if (value) labels[key] = value.slice(0, VALUE_MAX)
  }
  if (version !== null) labels[VERSION_LABEL] = String(version)
  return labels
}

function fromParameter(written: string | undefined, values: Values): string | undefined {
  if (!written?.startsWith('@')) return undefined
  const name = written.slice(1)
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `a=b,c` → [[a, b], [c, undefined]]. Whatever is not of that form says nothing. */
function entries(text: string): [string, string | undefined][] {
  return text.split(',').flatMap((entry): [string, string | undefined][] => {
    const cut = entry.indexOf('=')
    const key = (cut < 0 ? entry : entry.slice(0, cut)).trim()
    if (key === '') return []
    return [[key, cut < 0 ? undefined : entry.slice(cut + 1).trim()]]
  })
}
