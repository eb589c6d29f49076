/**
 * A protocol is how a kind of sender speaks around the events: where it puts its token and the name of the source, and
 * the answers it understands. What the events look like is the format's.
 *
 * Promises: a sender that was written for another service reads our answers, refusals too, as that service's own.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Fault } from '../../../base/faults.ts'
import type { Receipt } from '../../../ingest/accept.ts'
import type { Format } from '../../../ingest/formats/format.ts'
import type { LaneResponse } from '../../lane.ts'
import type { SourceName } from '../named-source.ts'

/** What a request says before its body. */
export type Asked = {
  headers: IncomingHttpHeaders
  query: Record<string, unknown>
  /** The piece of the path that is the sender's own, such as the name of an index. */
  inPath: string | null
}

/** What became of the events that were addressed alike; `part` is the name they gave, null when the request had one. */
export type Outcome = { part: string | null } & ({ receipt: Receipt } | { fault: Fault })

export type Protocol = {
  /** The token, where this protocol has a place of its own for it. */
  token?(asked: Asked): string | null
  /** The source, where this protocol has a place of its own for it outside the body. */
  source?(asked: Asked): SourceName | null
  /** Whether `source` in the query may name ours; some protocols mean something else by it. */
  readonly hasOwnSourceParameter?: boolean
  /** Whether a top-level `source` or `source_name` of the body is an address. */
  readonly readsSourceInBody: boolean
  /** Whether a part that cannot be stored is told beside the others instead of refusing the request. */
  readonly answersParts?: boolean
  /** Throws when the body is not by whom it claims to be. */
  verify?(wire: Buffer, asked: Asked): void
  /** Sets headers that every answer carries. */
  greet?(response: LaneResponse, asked: Asked): void
  answer(response: LaneResponse, outcomes: Outcome[], delivered: { format: Format; body: Buffer; asked: Asked }): void
  /** Tells why nothing was stored. */
  refuse(response: LaneResponse, error: unknown, asked: Asked): void
}

export function sendJson(response: LaneResponse, status: number, body: object): void {
  sendJsonText(response, status, JSON.stringify(body))
}

export function sendJsonText(response: LaneResponse, status: number, text: string): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(text)
}

export const refusedCount = (outcomes: Outcome[]): number =>
  outcomes.reduce((sum, outcome) => sum + ('receipt' in outcome ? outcome.receipt.refusedCount : 0), 0)

/** The first text of a value that may be a list. */
export const one = (value: unknown): string => {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first.trim() : ''
}

/** What follows the scheme in the authorization header, or nothing. */
export function credentials({ authorization = '' }: IncomingHttpHeaders, scheme: string): string {
  const prefix = `${scheme.toLowerCase()} `
  return authorization.toLowerCase().startsWith(prefix) ? authorization.slice(prefix.length).trim() : ''
}

/** The token in basic authentication: the password, or the name where the password is empty. */
export function basicToken(headers: IncomingHttpHeaders): string {
  const [name = '', ...password] = Buffer.from(credentials(headers, 'Basic'), 'base64').toString('utf8').split(':')
  return password.join(':') || name
}
