import type { SourceRecord } from '../../api/records.ts'

export type Group = { name: string; rows: SourceRecord[] }

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name)

/** Favourites first, then service by service, then what belongs to none. */
export function groupSources(sources: readonly SourceRecord[], filter: string): Group[] {
  const wanted = filter.trim().toLowerCase()
  const shown = sources.filter(({ name, description, service_name, token }) =>
    [name, description ?? '', service_name ?? '', token].some((text) => text.toLowerCase().includes(wanted)),
  )
  const groups = new Map<string, SourceRecord[]>()
  for (const source of shown.toSorted(byName)) {
    const name = source.favorite ? FAVOURITES : (source.service_name ?? OTHERS)
    groups.set(name, [...(groups.get(name) ?? []), source])
  }
  const rank = (name: string): number => (name === FAVOURITES ? 0 : name === OTHERS ? 2 : 1)
  return [...groups]
    .map(([name, members]) => ({ name, rows: members }))
    .toSorted((a, b) => rank(a.name) - rank(b.name) || byName(a, b))
}

export const FAVOURITES = 'Favourites'
export const OTHERS = 'Other sources'
