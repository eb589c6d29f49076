import { NEWLINE, skipSpace } from '../../json/bytes.ts'
import { JsonObject } from '../../json/value.ts'
import type { Format } from '../format.ts'

/** Splunk's raw collector: each line of text is the message of an event. */
export const splunkRaw: Format = {
  name: 'splunk-raw',
  hidesRefused: false,
  check: () => {},
  time: () => undefined,
  async read(intake) {
    const { body } = intake
    let from = skipSpace(body, 0)
    while (from < body.length) {
      const newline = body.indexOf(NEWLINE, from)
      const to = newline < 0 ? body.length : newline
      intake.made(new JsonObject().add('message', body.toString('utf8', from, to).trimEnd()), from, to)
      if (intake.isDueToPause) await intake.pause()
      from = skipSpace(body, to)
    }
  },
}
