/** What was asked in this browser, with its text: the log of the service tells who and how much, but keeps no texts. */
import { useState } from 'react'
import { useSession } from '../../api/client.tsx'

export type Remembered = { sql: string; at: string; rows: number | null; ms: number | null; error: string | null }

const KEPT = 50

export function useHistory(): { entries: Remembered[]; remember(entry: Remembered): void; forget(): void } {
  const session = useSession().data
  // Somebody else who logs in here does not see it.
  const key = `millrace.queries.${session?.account.token ?? ''}.${session?.user.id ?? ''}`
  const [entries, setEntries] = useState<Remembered[]>(() => read(key))
  const keep = (next: Remembered[]): void => {
    setEntries(next)
    try {
      localStorage.setItem(key, JSON.stringify(next))
    } catch {
      // No room, or none allowed: then it lasts as long as the page.
    }
  }
  return {
    entries,
    remember: (entry) => keep(withEntry(entries, entry)),
    forget: () => keep([]),
  }
}

/** Newest first; the same text again moves to the top. */
export const withEntry = (entries: readonly Remembered[], entry: Remembered): Remembered[] =>
  [entry, ...entries.filter(({ sql }) => sql !== entry.sql)].slice(0, KEPT)

function read(key: string): Remembered[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRemembered) : []
  } catch {
    return []
  }
}

const isRemembered = (entry: unknown): entry is Remembered =>
  typeof entry === 'object' && entry !== null && 'sql' in entry && typeof entry.sql === 'string' && 'at' in entry
