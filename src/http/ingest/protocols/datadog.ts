import { STATUS_CODES } from 'node:http'
import { Fault } from '../../../base/faults.ts'
import { tellPlain } from '../../errors.ts'
import { refusalTexts } from './own.ts'
import { one, type Protocol, sendJson } from './protocol.ts'

/**
 * Datadog's logs. The token is the API key, in its header, the query or the older path; the source is the usual
 * parameter, or what the events themselves say. Success is 202; a wrong key is 403, as its senders know it.
 */
export const datadog: Protocol = {
  readsSourceInBody: false,
  token: ({ headers, query, inPath }) => one(headers['dd-api-key']) || one(query['dd-api-key']) || inPath,
  answer(response, outcomes) {
    const refusals = refusalTexts(outcomes)
    if (refusals.length === 0) sendJson(response, 202, {})
    else sendJson(response, 400, errorsOf(400, refusals.slice(0, 20)))
  },
  refuse(response, error) {
    const { status, reason } = tellPlain(error, response)
    const told = error instanceof Fault && error.code === 'unauthorized' ? 403 : status
    return sendJson(response, told, errorsOf(told, [reason]))
  },
}

const errorsOf = (status: number, details: string[]): object => ({
  errors: details.map((detail) => ({ status: String(status), title: STATUS_CODES[status], detail })),
})
