import type { Intake } from '../../intake.ts'
import { COMMA, OPEN_OBJECT } from '../../json/bytes.ts'
import { printString } from '../../json/print.ts'
import { Piece } from '../../json/words.ts'
import { Respelled } from '../respelled.ts'

const ID = new Piece(Buffer.from('{"id":'))

/**
 * Takes documents as the bytes they are: in place, or with `@timestamp` spelled our way and the action's id in front. What
 * this is not sure of is for the format's mapping to look at.
 */
export class Documents {
  readonly #intake: Intake
  readonly #time: Respelled

  constructor(intake: Intake) {
    this.#intake = intake
    this.#time = new Respelled(intake, '@timestamp')
  }

  /** Takes the document of this line; whether it could. */
  taken(from: number, to: number, id: string | null): boolean {
    const intake = this.#intake
    const hasTime = this.#time.isIn(from, to)
    if (!hasTime && id === null) return intake.scannedLine(from, to)
    if (intake.body[from] !== OPEN_OBJECT) return false

    const { scratch, words } = intake
    if (!scratch.begin(to - from + (id === null ? 0 : id.length * 6 + 16))) return false
    if (id !== null) {
      scratch.put(ID)
      scratch.length += scratch.bytes.write(printString(id), scratch.length)
      scratch.putByte(COMMA)
    }
    const start = id === null ? from : from + 1
    const end = lastOf(intake.body, from, to)
    if (hasTime) return intake.written(to, this.#time.write(start, end))
    scratch.copy(words, start, end)
    return intake.written(to)
  }
}

/** Without the white space at the end of a line. */
function lastOf(body: Buffer, from: number, to: number): number {
  while (to > from && body[to - 1]! <= 0x20) to--
  return to
}
