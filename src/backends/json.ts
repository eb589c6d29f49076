/** Events as JSON for stores that keep every digit and take only whole characters. */

/** Part of the runtime, and not yet of the compiler's library. */
declare global {
  interface JSON {
    rawJSON(text: string): object
  }
}

/** Not to be written with escapes: `\u0000` and half a pair. It finds more than that; that only costs time. */
const DOUBTFUL = /\\u(?:0000|d[89a-f])/i

/** Integers stay integers, however long. `nul` stands for the character with code 0 where a store has no such. */
export function printExactly(value: unknown, nul = '\0'): string {
  const text = JSON.stringify(value, exactly)
  return DOUBTFUL.test(text) ? JSON.stringify(value, (name, each) => exactly(name, whole(each, nul))) : text
}

export const wholeText = (text: string, nul = '\0'): string => text.toWellFormed().replaceAll('\0', nul)

const whole = (value: unknown, nul: string): unknown => (typeof value === 'string' ? wholeText(value, nul) : value)

const exactly = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
