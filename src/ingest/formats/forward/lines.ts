import { Refusal } from '../../refusal.ts'
import type { Format } from '../format.ts'

/** The events of forwarded messages as a body, and the format that reads it. */
export function asDelivery(lines: readonly (string | Refusal)[]): { body: Buffer; format: Format } {
  const texts = lines.map((line) => (line instanceof Refusal ? JSON.stringify(line.reason) : line))
  return { body: Buffer.from(texts.join('\n')), format: createForwardLines(lines) }
}

/** One line for each event. Senders of this protocol cannot be told of a refused event; it is recorded. */
const createForwardLines = (lines: readonly (string | Refusal)[]): Format => ({
  name: 'forward',
  hidesRefused: true,
  check: () => {},
  time: () => undefined,
  async read(intake) {
    const { body } = intake
    let from = 0
    for (const line of lines) {
      const newline = body.indexOf('\n', from)
      const to = newline < 0 ? body.length : newline
      if (line instanceof Refusal) intake.made(from, to, () => line)
      else intake.line(from, to)
      if (intake.isDueToPause) await intake.pause()
      from = to + 1
    }
  },
})
