import { Fault } from '../../../base/faults.ts'
import { isUuid } from '../../../base/ids.ts'
import { tellPlain } from '../../errors.ts'
import { type Acks, channelOf } from '../acks.ts'
import { refusalTexts } from './own.ts'
import { type Asked, basicToken, credentials, one, type Protocol, sendJson } from './protocol.ts'

const INVALID_CHANNEL = 'The channel must be a UUID.'

export const HEALTHY = { text: 'HEC is healthy', code: 17 }

/**
 * Splunk's HTTP Event Collector. The token follows the word `Splunk`, or is the password of basic authentication, or
 * `token` in the query; the index of the query or of each event names the source (`source` means something else there,
 * unless it is a token of ours). Answers have a text and a number, by which senders decide. A request that names a channel
 * gets a number to ask for; see `acks.ts`.
 */
export const createSplunk = (acks: Acks): Protocol => ({
  readsSourceInBody: false,
  hasOwnSourceParameter: true,
  token: splunkToken,
  source({ query }) {
    const name = one(query.index)
    return name === '' ? null : { name }
  },
  verify(_, asked) {
    const channel = channelOf(asked)
    if (channel !== '' && !isUuid(channel)) throw new Fault('bad_request', INVALID_CHANNEL)
  },
  answer(response, outcomes, { asked }) {
    const refusals = refusalTexts(outcomes)
    if (refusals.length === 0) {
      const channel = channelOf(asked)
      sendJson(response, 200, { text: 'Success', code: 0, ...(channel === '' ? {} : { ackId: acks.next(channel) }) })
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
        if (reason === INVALID_CHANNEL) return sendJson(response, 400, { text: 'Invalid data channel', code: 11 })
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
})

export const splunkToken = ({ headers, query }: Asked): string | null =>
  credentials(headers, 'Splunk') || basicToken(headers) || one(query.token) || null
