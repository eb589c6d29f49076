/**
 * Tells people and programs: a message goes to webhooks, to Slack, by mail and to backends.
 *
 * Promises: every address is tried by itself, so that one that is slow or gone costs the others nothing; what may work
 * later is tried again, longer apart each time, for about 13 minutes; the teller hears how it went with each.
 * Refuses: more than `MAX_WAITING` deliveries at a time, mail when no mail server is set, metadata addresses of clouds.
 * What still waits when the process ends is not sent.
 */

import { setMaxListeners } from 'node:events'
import { failed, type Outcome, SURROUNDINGS, type Surroundings } from '../backends/kind.ts'
import { Fault } from '../base/faults.ts'
import type { Counter } from '../base/metrics.ts'
import type { Mail } from '../mail/mail.ts'
import type { Delivered } from '../model/alert-run.ts'
import type { Backend } from '../model/backend.ts'
import { type BackendMessage, sendToBackend } from './backend.ts'
import { post } from './post.ts'

export type Address =
  | { channel: 'webhook' | 'slack'; url: string }
  | { channel: 'email'; address: string }
  | { channel: 'backend'; backend: Backend }

/** The same news in the form of each channel. */
export type Message = {
  webhook: object
  slack: object
  email: { subject: string; text: string }
  backend: BackendMessage
}

export type Notifier = {
  /** Resolves when every address was reached or given up; `onProgress` hears of each step on the way. */
  send(message: Message, addresses: Address[], onProgress?: (all: Delivered[]) => Promise<void>): Promise<Delivered[]>
  /** One try for each, to see whether they are right. */
  tryOnce(message: Message, addresses: Address[]): Promise<Delivered[]>
  /** Gives up what waits, and says so to those who wait for it. */
  stop(): Promise<void>
}

type Parts = {
  mail: Mail | null
  counted(channel: Address['channel'], state: 'sent' | 'failed'): Counter
  /** After each failed try but the last. */
  pausesMs?: number[]
  /** What a mail server said is for the operator. */
  onError(error: unknown): void
  surroundings?: Surroundings
}

export const MAX_WAITING = 1_000
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000, 600_000]

export function createNotifier(parts: Parts): Notifier {
  const { mail, counted, pausesMs = PAUSES_MS, onError, surroundings = SURROUNDINGS } = parts
  const ending = new AbortController()
  // Everything that waits listens for the end.
  setMaxListeners(0, ending.signal)
  const going = new Set<Promise<unknown>>()
  let waiting = 0

  async function deliver(
    message: Message,
    address: Address,
    told: (delivered: Delivered) => Promise<void>,
    pauses = pausesMs,
  ): Promise<Delivered> {
    const delivered = pending(address)
    const end = (state: 'sent' | 'failed', error: string | null): Delivered => {
      counted(address.channel, state).value++
      return Object.assign(delivered, { state, error })
    }
    if (waiting >= MAX_WAITING) return end('failed', `${MAX_WAITING} notifications wait already`)
    waiting++
    try {
      for (;;) {
        const outcome = await orEnd(attempt(message, address))
        if (outcome === null) return end('failed', 'the service ended before it was sent')
        delivered.tries++
        if (outcome.kind === 'accepted') return end('sent', null)
        const pauseMs = pauses[delivered.tries - 1]
        if (outcome.kind === 'refused' || pauseMs === undefined) return end('failed', outcome.reason)
        delivered.error = outcome.reason
        await told(delivered)
        await pause(Math.max(pauseMs, outcome.retryAfterMs ?? 0))
      }
    } finally {
      waiting--
    }
  }

  function attempt(message: Message, address: Address): Promise<Outcome> {
    switch (address.channel) {
      case 'webhook':
      case 'slack':
        return post(address.url, message[address.channel], surroundings)
      case 'email':
        return sendMail(address.address, message.email)
      case 'backend':
        return sendToBackend(address.backend, message.backend, surroundings)
    }
  }

  async function sendMail(to: string, { subject, text }: Message['email']): Promise<Outcome> {
    if (!mail) return { kind: 'refused', reason: 'no mail server is set: MILLRACE_SMTP_URL' }
    try {
      await mail.send({ to, subject, text })
      return { kind: 'accepted' }
    } catch (error) {
      onError(error)
      return failed(error instanceof Fault ? error.message : 'the mail could not be sent')
    }
  }

  /** Null when the process ends first. */
  function orEnd(outcome: Promise<Outcome>): Promise<Outcome | null> {
    if (ending.signal.aborted) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      const onEnd = (): void => resolve(null)
      ending.signal.addEventListener('abort', onEnd, { once: true })
      outcome.finally(() => ending.signal.removeEventListener('abort', onEnd)).then(resolve, reject)
    })
  }

  function pause(ms: number): Promise<void> {
    if (ending.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        ending.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      ending.signal.addEventListener('abort', done, { once: true })
    })
  }

  return {
    send(message, addresses, onProgress = async () => {}) {
      const all = addresses.map(pending)
      const each = addresses.map(async (address, i) => {
        const told = (delivered: Delivered): Promise<void> => {
          all[i] = { ...delivered }
          return onProgress([...all])
        }
        await told(await deliver(message, address, told))
      })
      const sending = Promise.all(each).then(() => all)
      going.add(sending)
      return sending.finally(() => going.delete(sending))
    },
    tryOnce: (message, addresses) =>
      Promise.all(addresses.map((address) => deliver(message, address, async () => {}, []))),
    async stop() {
      ending.abort()
      await Promise.allSettled(going)
    },
  }
}

/** How it stands with an address before the first try. */
export const pending = (address: Address): Delivered => ({
  ...{ channel: address.channel, to: nameOf(address) },
  ...{ state: 'pending', tries: 0, error: null },
})

/** Hook addresses work like passwords: only their host is shown. */
function nameOf(address: Address): string {
  switch (address.channel) {
    case 'email':
      return address.address
    case 'backend':
      return address.backend.token
    default:
      return new URL(address.url).host
  }
}
