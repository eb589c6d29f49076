import type { Intake } from '../../intake.ts'
import { COMMA, OPEN_OBJECT, skipSpace } from '../../json/bytes.ts'
import { printString } from '../../json/print.ts'
import { Piece } from '../../json/words.ts'

const TIME = Buffer.from('"@timestamp"')
const OUR_TIME = new Piece(Buffer.from('"timestamp"'))
const ID = new Piece(Buffer.from('{"id":'))

/**
 * Takes documents as the bytes they are: in place, or with `@timestamp` spelled our way and the action's id in front. What
 * this is not sure of is for the format's mapping to look at.
 */
export class Documents {
  readonly #intake: Intake
  /** The first `"@timestamp"` from the last document on; behind the end when there is none. */
  #timeAt = -1

  constructor(intake: Intake) {
    this.#intake = intake
  }

  /** Takes the document of this line; whether it could. */
  taken(from: number, to: number, id: string | null): boolean {
    const intake = this.#intake
    const { body } = intake
    if (this.#timeAt < from) {
      const found = body.indexOf(TIME, from)
      this.#timeAt = found < 0 ? body.length : found
    }
    if (this.#timeAt >= to && id === null) return intake.scannedLine(from, to)
    return body[from] === OPEN_OBJECT && this.#written(from, lastOf(body, from, to), to, id)
  }

  #written(from: number, last: number, to: number, id: string | null): boolean {
    const { scratch, words } = this.#intake
    if (!scratch.begin(to - from + (id === null ? 0 : id.length * 6 + 16))) return false
    let at = from
    if (id !== null) {
      scratch.put(ID)
      scratch.length += scratch.bytes.write(printString(id), scratch.length)
      scratch.putByte(COMMA)
      at++
    }
    if (this.#timeAt >= to) {
      scratch.copy(words, at, last)
      return this.#intake.written(to)
    }
    scratch.copy(words, at, this.#timeAt)
    scratch.put(OUR_TIME)
    const after = this.#timeAt + TIME.length
    const colon = skipSpace(words.bytes, after)
    const timeAt = scratch.length + skipSpace(words.bytes, colon + 1) - after
    scratch.copy(words, after, last)
    // It is the event's time only if it stood at its top, where the scan looks for one.
    return this.#intake.written(to, timeAt)
  }
}

/** Without the white space at the end of a line. */
function lastOf(body: Buffer, from: number, to: number): number {
  while (to > from && body[to - 1]! <= 0x20) to--
  return to
}
