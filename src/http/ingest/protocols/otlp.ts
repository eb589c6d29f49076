import { Fault } from '../../../base/faults.ts'
import { tellPlain } from '../../errors.ts'
import { refusalTexts } from './own.ts'
import { type Protocol, refusedCount, sendJson } from './protocol.ts'

/** Numbers of `google.rpc.Code`, by the status of the answer. */
const CODES: Record<number, number> = { 400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 415: 3, 429: 8, 503: 14 }

/**
 * OTLP over HTTP. Headers of the exporter carry the token and, as `x-source`, the source. The answer to JSON is JSON: 200,
 * with the number of refused records when there are any, which a sender must not repeat; errors are a `Status`.
 */
export const createOtlp = (rejected: string): Protocol => ({
  readsSourceInBody: false,
  answer(response, outcomes) {
    const count = refusedCount(outcomes)
    if (count === 0) sendJson(response, 200, {})
    else {
      const errorMessage = refusalTexts(outcomes).slice(0, 20).join('; ')
      sendJson(response, 200, { partialSuccess: { [rejected]: String(count), errorMessage } })
    }
  },
  refuse(response, error) {
    const { status, reason } = tellPlain(error, response)
    const code = error instanceof Fault ? (CODES[status] ?? 13) : 13
    return sendJson(response, status, { code, message: reason })
  },
})
