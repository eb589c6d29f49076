import { BYTES_PER_TURN, MS_PER_TURN } from './limits.ts'

/** Events between two looks at the clock. */
const ASKED_PER_LOOK = 8

/** Lets other requests go on from time to time while a large one is worked on. */
export class Turns {
  readonly #watchesTime: boolean
  #restedAt = 0
  #asked = 0
  #restedAtMs = Date.now()

  /** `watchesTime`: few bytes may be a lot of work. */
  constructor(watchesTime: boolean) {
    this.#watchesTime = watchesTime
  }

  /** `at` counts the bytes worked on. */
  isDue(at: number): boolean {
    if (at - this.#restedAt > BYTES_PER_TURN) return true
    // The clock costs as much as asking a few rules.
    if (!this.#watchesTime || this.#asked++ % ASKED_PER_LOOK !== 0) return false
    return Date.now() - this.#restedAtMs > MS_PER_TURN
  }

  async rest(at: number): Promise<void> {
    this.#restedAt = at
    await nextTurn()
    this.#restedAtMs = Date.now()
  }
}

export const nextTurn = (): Promise<void> => new Promise((resume) => setImmediate(resume))
