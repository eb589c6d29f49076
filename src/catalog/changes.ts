/** Tells this process that a kind of record changed, so that what is kept in memory is read again. */
const NOUNS = [
  ...(['account', 'source', 'token', 'rule', 'endpoint', 'alert', 'backend', 'user', 'session', 'fields'] as const),
]

export type Change =
  | { noun: (typeof NOUNS)[number] }
  | {
      noun: 'key-values'
      /** null: of any account. */
      accountId: number | null
      /** null: any key may have changed. */
      keys: string[] | null
    }

/** Something of every kind may have changed. */
export const EVERYTHING: Change[] = [
  ...NOUNS.map((noun) => ({ noun })),
  { noun: 'key-values', accountId: null, keys: null },
]

export type Changes = {
  announce(change: Change): void
  /** Returns how to stop listening. */
  listen(listener: (change: Change) => void): () => void
}

export function createChanges(): Changes {
  const listeners = new Set<(change: Change) => void>()
  return {
    announce(change) {
      for (const listener of listeners) listener(change)
    },
    listen(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
