/** The texts of a stream, in the form of Server-Sent Events. A message is told apart by its `event`; log events have none. */
import { RETRY_MS } from './limits.ts'

export type EndReason = 'source_deleted' | 'token_revoked' | 'shutdown' | 'failed'

const END_WORDS: Record<EndReason, string> = {
  source_deleted: 'The source was deleted.',
  token_revoked: 'The token of this stream is no longer valid.',
  shutdown: 'The service is shutting down. Connect again in a moment; the stream goes on where it was.',
  failed: 'The stream failed. Connect again; it goes on where it was.',
}

/** `json` holds no line break: JSON text has none outside of strings and escapes those inside. */
export const eventMessage = (cursor: string, json: string): string => `id: ${cursor}\ndata: ${json}\n\n`

export const helloMessage = (): string => `: live\nretry: ${RETRY_MS}\n\n`

/** Moves the reader's cursor without an event; readers that see few matches can still come back cheaply. */
export const cursorMessage = (cursor: string): string => `id: ${cursor}\n\n`

export const heartbeatMessage = (cursor: string | null): string =>
  cursor === null ? ': heartbeat\n\n' : `: heartbeat\nid: ${cursor}\n\n`

export type Missed = {
  /** Null: nobody can tell. */
  count: number | null
  /** Whether all of them would have been sent; otherwise only some of them may match the filter. */
  exact: boolean
}

export function missedMessage({ count, exact }: Missed): string {
  const message =
    count === null
      ? 'An unknown number of events was skipped; a search finds them.'
      : `${exact ? '' : 'Up to '}${count} events were skipped; a search finds them.`
  return `event: missed\ndata: ${JSON.stringify({ count, exact, message })}\n\n`
}

export const endMessage = (reason: EndReason): string =>
  `event: end\ndata: ${JSON.stringify({ reason, message: END_WORDS[reason] })}\n\n`

/** Of the nodes that share the work, one cannot be reached, or can be again. */
export function nodeMessage(state: 'lost' | 'back', address: string): string {
  const message =
    state === 'lost'
      ? `The node at ${address} does not answer. Its events come when it does.`
      : `The node at ${address} answers again.`
  return `event: node\ndata: ${JSON.stringify({ node: address, state, message })}\n\n`
}
