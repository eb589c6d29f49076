import { Refusal } from '../../refusal.ts'
import type { Format } from '../format.ts'
import { readSyslog } from './line.ts'
import { SyslogLines } from './lines.ts'

/** Syslog messages one behind the other, whose ends are known. */
export type Messages = {
  bytes: Buffer
  /** Where each message ends; the next begins there. */
  ends: ArrayLike<number>
  /** Messages that are not to be stored, by their number, and why. */
  refused?: ReadonlyMap<number, string>
}

/**
 * Syslog as it comes over sockets: where one message ends and the next begins was told by datagrams or frames, not by
 * the body. One that is no syslog is recorded; nobody is there to be told.
 */
export const createSyslogMessages = ({ ends, refused }: Omit<Messages, 'bytes'>): Format => ({
  name: 'syslog-messages',
  hidesRefused: true,
  takesEmpty: true,
  check: () => {},
  time: () => undefined,
  async read(intake) {
    const { body } = intake
    const lines = new SyslogLines(intake)
    for (let i = 0, from = 0; i < ends.length; i++) {
      const to = ends[i]!
      const reason = refused?.get(i)
      const isTaken = reason === undefined && lines.taken(from, to)
      if (!isTaken)
        intake.made(from, to, () => {
          if (reason !== undefined) return new Refusal(reason)
          const event = readSyslog(body.toString('utf8', from, to).trimEnd(), intake.nowMs)
          return event ?? new Refusal('is not a syslog message')
        })
      if (intake.isDueToPause) await intake.pause()
      from = to
    }
  },
})
