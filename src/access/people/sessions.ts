import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { once } from '../../catalog/claims.ts'
import type { Account } from '../../model/account.ts'
import type { SessionRecord, User } from '../../model/person.ts'
import { createMemory } from '../memory.ts'

export type PersonIdentity = { account: Account; user: User; session: SessionRecord }

/** A session ends when it is not used for so long, and in any case so long after it began. */
export type SessionLife = { idleMs: number; longestMs: number }

const DAY_MS = 86_400_000
export const SESSION_LIFE: SessionLife = { idleMs: 14 * DAY_MS, longestMs: 90 * DAY_MS }

const SESSIONS_KEPT = 10_000
/** Sessions are also ended by other nodes, and by the command line. */
const KNOWN_MS = 5_000
const NOTE_SEEN_EVERY_MS = 60_000
const PRUNE_EVERY_MS = 3_600_000

type Known = PersonIdentity & { madeMs: number; seenMs: number; notedMs: number }

type Parts = {
  catalog: Catalog
  clock: Clock
  sessionLife: SessionLife
  onNoteLost: (error: unknown) => void
}

/** From the value of a cookie to the person. Using a session keeps it alive; that is written down once a minute. */
export function createSessionLookup({ catalog, clock, sessionLife, onNoteLost }: Parts) {
  const { idleMs, longestMs } = sessionLife
  const known = createMemory<Known>({ load, lifeMs: KNOWN_MS, limit: SESSIONS_KEPT, clock })
  const notes = new Set<Promise<void>>()
  const stopListening = catalog.changes.listen(({ noun }) => {
    if (noun === 'session' || noun === 'user' || noun === 'account') known.clear()
  })
  const timer = setInterval(prune, PRUNE_EVERY_MS)
  timer.unref()

  async function load(value: string): Promise<Known | null> {
    const found = await catalog.sessions.byValue(value)
    if (!found) return null
    const seenMs = Date.parse(found.session.last_seen_at)
    return { ...found, madeMs: Date.parse(found.session.inserted_at), seenMs, notedMs: seenMs }
  }

  function prune(): void {
    const nowMs = clock.nowMs()
    const before = { seenBefore: nowMs - idleMs, madeBefore: nowMs - longestMs }
    once(catalog.claims, 'sessions', () => catalog.sessions.prune(before)).catch(onNoteLost)
  }

  function noteSeen(person: Known): void {
    person.seenMs = clock.nowMs()
    if (person.seenMs - person.notedMs < NOTE_SEEN_EVERY_MS) return
    person.notedMs = person.seenMs
    const note = catalog.sessions
      .noteSeen(person.session.id, person.seenMs)
      .catch(onNoteLost)
      .finally(() => notes.delete(note))
    notes.add(note)
  }

  return {
    /** Rejects with `unauthorized`. */
    async identify(value: string): Promise<PersonIdentity> {
      const person = await known.get(value)
      const nowMs = clock.nowMs()
      const hasEnded = person && (nowMs - person.seenMs > idleMs || nowMs - person.madeMs > longestMs)
      if (!person || hasEnded) throw new Fault('unauthorized', 'Unauthorized')
      noteSeen(person)
      return person
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      stopListening()
      await Promise.all(notes)
    },
  }
}
