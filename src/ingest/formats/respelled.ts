import type { Intake } from '../intake.ts'
import { skipSpace } from '../json/bytes.ts'
import { Piece } from '../json/words.ts'

const OUR_NAME = new Piece(Buffer.from('"timestamp"'))

/** Writes events whose time has another name with the name spelled our way; all else is copied. */
export class Respelled {
  readonly #intake: Intake
  readonly #theirs: Buffer
  /** Where the name stands next; behind the end when it does not. */
  #at = -1

  constructor(intake: Intake, name: string) {
    this.#intake = intake
    this.#theirs = Buffer.from(`"${name}"`)
  }

  /** Whether the name stands between, wherever. To be asked in the order of the body. */
  isIn(from: number, to: number): boolean {
    if (this.#at < from) {
      const { body } = this.#intake
      const found = body.indexOf(this.#theirs, from)
      this.#at = found < 0 ? body.length : found
    }
    return this.#at < to
  }

  /**
   * Writes what stands between, which has the name in it. Answers where the scan must find the event's time: only there the
   * name stood at the top of the event and was a name.
   */
  write(from: number, to: number): number {
    const { scratch, words } = this.#intake
    scratch.copy(words, from, this.#at)
    scratch.put(OUR_NAME)
    const after = this.#at + this.#theirs.length
    const colon = skipSpace(words.bytes, after)
    const timeAt = scratch.length + skipSpace(words.bytes, colon + 1) - after
    scratch.copy(words, after, to)
    return timeAt
  }
}
