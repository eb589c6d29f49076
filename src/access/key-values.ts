/**
 * The key-value entries that enrichment looks up, in memory: those of an account are read once and again when they
 * change. Where several nodes share the catalog, also after a few seconds.
 */
import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'

export type KeyValueLookup = (key: string) => unknown

export type KeyValueMemory = {
  /** Synchronous when the entries are in memory. */
  of(accountId: number): KeyValueLookup | Promise<KeyValueLookup>
  stop(): void
}

type Entries = { lookup: KeyValueLookup; readAtMs: number }

const OTHER_NODES_LIFE_MS = 5_000

export function createKeyValueMemory({ catalog, clock }: { catalog: Catalog; clock: Clock }): KeyValueMemory {
  const lifeMs = catalog.engine === 'sqlite' ? Number.POSITIVE_INFINITY : OTHER_NODES_LIFE_MS
  const known = new Map<number, Entries>()
  const reading = new Map<number, Promise<KeyValueLookup>>()

  const stop = catalog.changes.listen((change) => {
    if (change.noun === 'key-values' && change.accountId !== null) {
      known.delete(change.accountId)
      reading.delete(change.accountId)
    } else if (change.noun === 'key-values' || change.noun === 'account') {
      known.clear()
      reading.clear()
    }
  })

  function read(accountId: number): Promise<KeyValueLookup> {
    const readAtMs = clock.nowMs()
    const mine: Promise<KeyValueLookup> = catalog.keyValues.all(accountId).then((entries) => {
      const lookup: KeyValueLookup = (key) => entries.get(key)
      // A change while reading took the promise away: what was read may be old, and is used but not kept.
      if (reading.get(accountId) === mine) {
        reading.delete(accountId)
        known.set(accountId, { lookup, readAtMs })
      }
      return lookup
    })
    reading.set(accountId, mine)
    mine.catch(() => reading.delete(accountId))
    return mine
  }

  return {
    of(accountId) {
      const entries = known.get(accountId)
      if (entries && clock.nowMs() - entries.readAtMs <= lifeMs) return entries.lookup
      return reading.get(accountId) ?? read(accountId)
    },
    stop,
  }
}
