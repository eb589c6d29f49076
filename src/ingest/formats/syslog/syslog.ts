import { NEWLINE, skipSpace } from '../../json/bytes.ts'
import { Refusal } from '../../refusal.ts'
import type { Format } from '../format.ts'
import { readSyslog } from './line.ts'
import { SyslogLines } from './lines.ts'

/**
 * Syslog over HTTP, as Heroku's logplex and rsyslog send it: messages of RFC 5424 or 3164, each on a line of its own or
 * behind its length in bytes. The content type does not matter.
 *
 * A line that is no syslog is recorded but not told: these senders would repeat the whole request.
 */
export const syslog: Format = {
  name: 'syslog',
  hidesRefused: true,
  takesEmpty: true,
  check: () => {},
  time: () => undefined,
  async read(intake) {
    const { body } = intake
    const lines = new SyslogLines(intake)
    let at = skipSpace(body, 0)
    while (at < body.length) {
      const { from, to } = frameAt(body, at)
      if (!lines.taken(from, to))
        intake.made(from, to, () => {
          const event = readSyslog(body.toString('utf8', from, to).trimEnd(), intake.nowMs)
          return event ?? new Refusal('is not a syslog message')
        })
      if (intake.isDueToPause) await intake.pause()
      at = skipSpace(body, to)
    }
  },
}

/** A length counts bytes, spaces of the message included; without one the message ends with its line. */
function frameAt(body: Buffer, at: number): { from: number; to: number } {
  const counted = /^(\d{1,7}) </.exec(body.toString('latin1', at, at + 10))
  if (counted) {
    const from = at + counted[1]!.length + 1
    return { from, to: Math.min(body.length, from + Number(counted[1])) }
  }
  const newline = body.indexOf(NEWLINE, at)
  return { from: at, to: newline < 0 ? body.length : newline }
}
