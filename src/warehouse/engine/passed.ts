/** The latest texts that passed the fence: the verdict depends on nothing else, so an equal text need not be read again. */
export type Passed = { has(text: string): boolean; add(text: string): void }

const KEPT_CHARACTERS = 4_000_000

export function createPassed(): Passed {
  let older = new Set<string>()
  let newer = new Set<string>()
  let characters = 0
  return {
    has: (text) => newer.has(text) || older.has(text),
    add(text) {
      // Two generations are a cheap way to forget the oldest half.
      if (characters + text.length > KEPT_CHARACTERS / 2) {
        older = newer
        newer = new Set()
        characters = 0
      }
      newer.add(text)
      characters += text.length
    },
  }
}
