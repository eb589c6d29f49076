/** The latest values by their texts, up to a bound. Two generations are a cheap way to forget the oldest half. */
export type Latest<T> = { get(key: string): T | undefined; set(key: string, value: T, size: number): void }

export function createLatest<T>(most: number): Latest<T> {
  let older = new Map<string, T>()
  let newer = new Map<string, T>()
  let held = 0
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set(key, value, size) {
      if (held + size > most / 2) {
        older = newer
        newer = new Map()
        held = 0
      }
      newer.set(key, value)
      held += size
    },
  }
}
