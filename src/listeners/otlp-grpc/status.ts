import type { Metadata } from '@grpc/grpc-js'
import { Fault, type FaultCode } from '../../base/faults.ts'
import { ProtobufWriter } from '../../base/protobuf/writer.ts'
import { plainReason, RETRY_AFTER_S } from '../../http/errors.ts'

/** Numbers of `google.rpc.Code`. */
const INTERNAL = 13
const CODES: Partial<Record<FaultCode, number>> = {
  bad_request: 3,
  conflict: 3,
  invalid: 3,
  unsupported_type: 3,
  not_found: 5,
  forbidden: 7,
  too_large: 8,
  over_quota: 8,
  busy: 8,
  unavailable: 14,
  unauthorized: 16,
}

/** Worth sending again. Exporters repeat an exhausted resource only when they are told when. */
const LATER: readonly FaultCode[] = ['over_quota', 'busy', 'unavailable']

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'

export const isOwnFault = (error: unknown): boolean => plainReason(error).status === 500

/** What a caller is told: the sentence that HTTP would tell, and when to try again. */
export function statusOf(error: unknown, createMetadata: () => Metadata) {
  const code = (error instanceof Fault ? CODES[error.code] : undefined) ?? INTERNAL
  const details = plainReason(error).reason
  const metadata = createMetadata()
  if (error instanceof Fault && LATER.includes(error.code))
    metadata.set('grpc-status-details-bin', retryDetails(code, details))
  return { code, details, metadata }
}

/** A `google.rpc.Status` whose one detail is the delay. */
function retryDetails(code: number, sentence: string): Buffer {
  const delay = new ProtobufWriter().message(1, (duration) => duration.integer(1, RETRY_AFTER_S)).finish()
  return new ProtobufWriter()
    .integer(1, code)
    .text(2, sentence)
    .message(3, (any) => any.text(1, RETRY_INFO).bytes(2, delay))
    .finish()
}
