import { Fault } from '../../../base/faults.ts'
import { tellPlain } from '../../errors.ts'
import { refusalTexts } from './own.ts'
import { basicToken, credentials, one, type Protocol, sendJson } from './protocol.ts'

export const HEALTHY = { text: 'HEC is healthy', code: 17 }

/**
 * Splunk's HTTP Event Collector. The token follows the word `Splunk`, or is the password of basic authentication, or
 * `token` in the query; the index of the query or of each event names the source (`source` means something else there,
 * unless it is a token of ours). Answers have a text and a number, by which senders decide.
 */
export const splunk: Protocol = {
  readsSourceInBody: false,
  hasOwnSourceParameter: true,
  token: ({ headers, query }) => credentials(headers, 'Splunk') || basicToken(headers) || one(query.token) || null,
  source({ query }) {
    const name = one(query.index)
    return name === '' ? null : { name }
  },
  answer(response, outcomes) {
    const refusals = refusalTexts(outcomes)
    if (refusals.length === 0) {
      sendJson(response, 200, { text: 'Success', code: 0 })
      return
    }
    const first = outcomes.flatMap((outcome) => ('receipt' in outcome ? outcome.receipt.refused : []))[0]
    const number = outcomes.length === 1 && first ? { 'invalid-event-number': first.index } : {}
    sendJson(response, 400, { text: 'Invalid data format', code: 6, ...number, details: refusals.slice(0, 20) })
  },
  refuse(response, error, { headers, query }) {
    const { status, reason } = tellPlain(error, response)
    switch (error instanceof Fault ? error.code : '') {
      case 'unauthorized':
        if (headers.authorization === undefined && one(query.token) === '')
          return sendJson(response, 401, { text: 'Token is required', code: 2 })
        return sendJson(response, 403, { text: 'Invalid token', code: 4 })
      case 'forbidden':
      case 'not_found':
        return sendJson(response, 400, { text: 'Incorrect index', code: 7, details: [reason] })
      case 'bad_request':
        if (reason.startsWith('The body is empty')) return sendJson(response, 400, { text: 'No data', code: 5 })
        return sendJson(response, 400, { text: 'Invalid data format', code: 6, details: [reason] })
      case 'over_quota':
      case 'busy':
      case 'unavailable':
        return sendJson(response, 503, { text: 'Server is busy', code: 9, details: [reason] })
    }
    return sendJson(
      response,
      status,
      status >= 500 ? { text: 'Internal server error', code: 8 } : { text: reason, code: 6 },
    )
  },
}
