import { Fault } from '../../../base/faults.ts'
import type { Receipt } from '../../../ingest/accept.ts'
import { type Asked, actionsOf, isStored } from '../../../ingest/formats/elastic/actions.ts'
import { STATUS, tellPlain } from '../../errors.ts'
import { basicToken, credentials, type Outcome, type Protocol, sendJson, sendJsonText } from './protocol.ts'

/** Elasticsearch's clients take no answer without it. */
export const PRODUCT = { 'x-elastic-product': 'Elasticsearch' }

const TYPES: Record<number, string> = {
  400: 'illegal_argument_exception',
  401: 'security_exception',
  403: 'security_exception',
  404: 'index_not_found_exception',
  413: 'content_too_long_exception',
  429: 'es_rejected_execution_exception',
  503: 'unavailable_shards_exception',
}

/**
 * Elasticsearch's `_bulk`. The token is an API key or the password of basic authentication; the index of each action,
 * or the one in the path, names the source. Every action has its own answer; an unknown index refuses only its own.
 */
export const elastic: Protocol = {
  readsSourceInBody: false,
  answersParts: true,
  token: ({ headers }) => apiKey(credentials(headers, 'ApiKey')) || basicToken(headers) || null,
  source: ({ inPath }) => (inPath === null ? null : { name: inPath }),
  greet(response) {
    for (const [name, value] of Object.entries(PRODUCT)) response.setHeader(name, value)
  },
  answer(response, outcomes, { body, asked }) {
    const items = itemsOf(body, outcomes, asked.inPath)
    sendJsonText(response, 200, `{"took":0,"errors":${items.hasErrors},"items":[${items.texts.join(',')}]}`)
  },
  refuse(response, error) {
    const { status, reason } = tellPlain(error, response)
    const cause = causeOf(status, reason)
    return sendJson(response, status, { error: { root_cause: [cause], ...cause }, status })
  },
}

/** Sent as it is, or as clients make it of an id and a key: `base64(id:key)`. */
function apiKey(sent: string): string {
  const decoded = Buffer.from(sent, 'base64').toString('latin1')
  return /^[\x21-\x39\x3b-\x7e]+:([\x21-\x7e]+)$/.exec(decoded)?.[1] ?? sent
}

const causeOf = (status: number, reason: string): { type: string; reason: string } => ({
  type: TYPES[status] ?? 'exception',
  reason,
})

/** The answers to all actions, as JSON. Actions that ask for the same and were stored get the same text. */
function itemsOf(body: Buffer, outcomes: Outcome[], inPath: string | null): { texts: string[]; hasErrors: boolean } {
  const whole = outcomes.find(({ part }) => part === null)
  const byPart = new Map(outcomes.map((outcome) => [outcome.part, { outcome, reasons: reasonsOf(outcome), count: 0 }]))
  const texts: string[] = []
  let hasErrors = false
  let stored: Asked | null = null
  let storedText = ''
  for (const { asked } of actionsOf(body)) {
    const reason = reasonOf(asked)
    if (reason !== null) {
      hasErrors = true
      texts.push(failed(asked, inPath, reason))
      continue
    }
    if (stored !== asked) storedText = itemText(asked, inPath, { status: 201, result: 'created' })
    stored = asked
    texts.push(storedText)
  }
  return { texts, hasErrors }

  function reasonOf(asked: Asked): Reason | null {
    if (!isStored(asked))
      return { status: 400, reason: `Stored events do not change: ${asked.action} is not supported.` }
    const group = byPart.get(whole ? null : (asked.index ?? ''))
    if (!group) throw new Fault('bad_request', 'An action has no index.')
    const { outcome, reasons } = group
    const number = group.count++
    if ('fault' in outcome) return { status: STATUS[outcome.fault.code], reason: outcome.fault.message }
    const reason = reasons.get(number) ?? untold(outcome.receipt, number)
    return reason === undefined ? null : { status: 400, reason, type: 'document_parsing_exception' }
  }
}

type Reason = { status: number; reason: string; type?: string }

const reasonsOf = (outcome: Outcome): Map<number, string> =>
  new Map('receipt' in outcome ? outcome.receipt.refused.map(({ index, reason }) => [index, reason]) : [])

/** Behind the last refusal that is known by its number, no event is said to be stored unless all of them are. */
function untold({ refused, refusedCount }: Receipt, number: number): string | undefined {
  const last = refused.at(-1)
  if (!last || refusedCount === refused.length || number < last.index) return undefined
  return `the request had ${refusedCount} refused events, too many to tell which`
}

function itemText({ action, index, id }: Asked, inPath: string | null, about: object): string {
  return JSON.stringify({ [action]: { _index: index ?? inPath, _id: id, ...about } })
}

function failed(asked: Asked, inPath: string | null, { status, reason, type }: Reason): string {
  const cause = causeOf(status, reason)
  return itemText(asked, inPath, { status, error: type === undefined ? cause : { ...cause, type } })
}
