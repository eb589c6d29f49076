/**
 * Sends mail by SMTP.
 *
 * Promises: a mail that `send` came back from was taken by the server; nothing is loaded before the first mail.
 * Refuses: to wait longer than 20 s for the server, and header lines within an address or subject.
 */
import { Fault } from '../base/faults.ts'

export type Message = { to: string; subject: string; text: string }

export type Mail = { send(message: Message): Promise<void> }

const TIMEOUT_MS = 20_000

type Parts = {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  url: string
  /** `Name <address>` or an address. */
  from: string
}

export function createMail({ url, from }: Parts): Mail {
  return {
    async send({ to, subject, text }) {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        url,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        // What is sent comes from callers: it may hold no files or addresses to fetch.
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject: subject.replaceAll(/\s+/g, ' '),
          text,
        })
      } catch (error) {
        throw new Fault('unavailable', 'The mail could not be sent. The operator finds the reason in the log.', error)
      } finally {
        transport.close()
      }
    },
  }
}
