/** Tells this process that a kind of record changed, so that what is kept in memory is read again. */
export type Change =
  | { noun: 'account' | 'source' | 'token' | 'rule' | 'endpoint' | 'alert' | 'backend' | 'user' | 'session' }
  | { noun: 'key-values'; accountId: number /** null: any key may have changed. */; keys: string[] | null }

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
