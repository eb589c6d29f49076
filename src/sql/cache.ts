/**
 * The latest translations, bounded by the length of their texts. An entry remembers what it was made from and is
 * taken only while that still holds.
 */
export function createCache<T>(mostCharacters: number) {
  type Entry = { value: T; made: [string, string][]; size: number }
  const entries = new Map<string, Entry>()
  let size = 0

  const remove = (key: string): void => {
    size -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    get(key: string, holds: (made: [string, string][]) => boolean): T | undefined {
      const entry = entries.get(key)
      if (!entry) return undefined
      remove(key)
      if (!holds(entry.made)) return undefined
      entries.set(key, entry)
      size += entry.size
      return entry.value
    },
    set(key: string, value: T, made: [string, string][]): void {
      remove(key)
      const entry = {
        value,
        made,
        size: key.length + made.reduce((sum, [name, mark]) => sum + name.length + mark.length, 0),
      }
      entries.set(key, entry)
      size += entry.size
      for (const oldest of entries.keys()) {
        if (size <= mostCharacters) break
        remove(oldest)
      }
    },
  }
}
