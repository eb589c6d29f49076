import { Fault } from '../../../base/faults.ts'
import { ProtobufWriter } from '../../../base/protobuf/writer.ts'
import { isProtobuf } from '../../../ingest/formats/media.ts'
import { tellPlain } from '../../errors.ts'
import type { LaneResponse } from '../../lane.ts'
import { refusalTexts } from './own.ts'
import { type Outcome, type Protocol, refusedCount, sendJson } from './protocol.ts'

/** Numbers of `google.rpc.Code`, by the status of the answer. */
const CODES: Record<number, number> = { 400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 415: 3, 429: 8, 503: 14 }

/** Refusals that an answer tells one by one. */
const TOLD = 20

/**
 * OTLP over HTTP. Headers of the exporter carry the token and, as `x-source`, the source. The answer has the form of the
 * request: 200, with the number of refused records when there are any, which a sender must not repeat; errors are a `Status`.
 */
export const createOtlp = (rejected: string): Protocol => ({
  readsSourceInBody: false,
  answer(response, outcomes, { asked }) {
    const refused = refusedOf(outcomes)
    if (isProtobuf(asked.headers)) sendProtobuf(response, 200, exportResponse(refused))
    else if (!refused) sendJson(response, 200, {})
    else {
      const { count, reasons } = refused
      sendJson(response, 200, { partialSuccess: { [rejected]: String(count), errorMessage: reasons } })
    }
  },
  refuse(response, error, { headers }) {
    const { status, reason } = tellPlain(error, response)
    const code = error instanceof Fault ? (CODES[status] ?? 13) : 13
    if (isProtobuf(headers))
      sendProtobuf(response, status, new ProtobufWriter().integer(1, code).text(2, reason).finish())
    else sendJson(response, status, { code, message: reason })
  },
})

type Refused = { count: number; reasons: string }

export function refusedOf(outcomes: Outcome[]): Refused | null {
  const count = refusedCount(outcomes)
  return count === 0 ? null : { count, reasons: refusalTexts(outcomes).slice(0, TOLD).join('; ') }
}

/** The answer of all three services; empty when everything is stored. */
export function exportResponse(refused: Refused | null): Buffer {
  const response = new ProtobufWriter(64)
  if (refused) response.message(1, (partial) => partial.integer(1, refused.count).text(2, refused.reasons))
  return response.finish()
}

function sendProtobuf(response: LaneResponse, status: number, body: Buffer): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/x-protobuf')
  response.setHeader('content-length', body.length)
  response.end(body)
}
