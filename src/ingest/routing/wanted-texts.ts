import { BACKSLASH } from '../json/bytes.ts'
import { hashName } from '../schema/tree.ts'

/**
 * The texts that filters tell from others, found in bytes without building a text: of the values of a field most equal
 * none of them, and those need not be read.
 */
export class WantedTexts {
  readonly #byHash = new Map<number, { bytes: Buffer; text: string }[]>()
  /** Stands for all others. */
  readonly #other: string

  constructor(texts: ReadonlySet<string>) {
    let other = '\0'
    while (texts.has(other)) other += '\0'
    this.#other = other
    for (const text of texts) {
      const bytes = Buffer.from(text)
      const hash = hashName(bytes, 0, bytes.length)
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), { bytes, text }])
    }
  }

  /** The text between two quotes, `from` and `to - 1`; null when it is written with escapes. */
  find(bytes: Buffer, from: number, to: number): string | null {
    let hash = 0
    for (let at = from + 1; at < to - 1; at++) {
      const byte = bytes[at]!
      if (byte === BACKSLASH) return null
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    const wanted = this.#byHash.get(hash)
    if (wanted === undefined) return this.#other
    for (const one of wanted) {
      if (one.bytes.length === to - from - 2 && isAt(bytes, from + 1, one.bytes)) return one.text
    }
    return this.#other
  }
}

/** Short as they are, comparing them here costs less than asking the buffer to. */
function isAt(bytes: Buffer, from: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false
  return true
}
