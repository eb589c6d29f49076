/** What went wrong at BigQuery, for delivery, for whoever tests a connection, and for whoever asks. */
import { z } from 'zod'
import { Fault } from '../../base/faults.ts'
import { ForbiddenAddress } from '../address.ts'
import { failed, type Outcome, type Probe } from '../kind.ts'
import { explain } from '../reason.ts'

export const Problem = z.object({ reason: z.string().default(''), message: z.string().default('') })

const ApiError = z.object({
  code: z.int().optional(),
  message: z.string().default(''),
  errors: z.array(Problem).default([]),
})

/** A status of 0 is none: the request did not get that far. */
export type Failure = { status: number; reasons: string[]; message: string }

export function failureOf(error: unknown): Failure {
  const read = ApiError.safeParse(error)
  if (!read.success || read.data.code === undefined)
    return { status: 0, reasons: [], message: explain(error).slice(0, 500) }
  const { code, errors, message } = read.data
  const words = errors[0]?.message || message
  return { status: code, reasons: errors.map(({ reason }) => reason), message: words.slice(0, 500) }
}

/** Too much at once, or a trouble of its own: later it works. */
const PASSING = new Set(['rateLimitExceeded', 'quotaExceeded', 'jobRateLimitExceeded', 'backendError', 'internalError'])

const isPassing = ({ status, reasons }: Failure): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500 || reasons.some((reason) => PASSING.has(reason))

const TOO_LARGE = /too large|payload size|exceeds the limit/i

export function outcomeOf(error: unknown): Outcome {
  const failure = failureOf(error)
  if (error instanceof ForbiddenAddress) return failed(failure.message, true)
  if (isPassing(failure)) return failed(failure.message || 'BigQuery cannot be reached')
  if (failure.status === 413 || (failure.status === 400 && TOO_LARGE.test(failure.message)))
    return { kind: 'refused', reason: failure.message }
  return failed(failure.message, true)
}

const UNREACHABLE = /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\)|ECONNREFUSED|ENOTFOUND/

export function probeOf(error: unknown, { project_id, dataset_id }: { project_id: string; dataset_id: string }): Probe {
  const { status, message } = failureOf(error)
  const no = (reason: string, text: string): Probe => ({ ok: false, reason, message: text })
  if (status === 401)
    return no('authentication_failed', `BigQuery does not accept the key of the service account: ${message}`)
  if (/default credentials/i.test(message))
    return no(
      'authentication_failed',
      'There is no key of a service account, and this machine has no identity in a cloud.',
    )
  if (status === 403 && /jobs\.create/.test(message))
    return no('permission_denied', `The service account needs the role BigQuery Job User in ${project_id}.`)
  if (status >= 400 && /has not been used|is disabled|has not enabled/i.test(message))
    return no('api_disabled', `The BigQuery API is switched off in ${project_id}: ${message}`)
  if (status === 403)
    return no(
      'permission_denied',
      `The service account needs the role BigQuery Data Editor on the dataset ${dataset_id}, or on ${project_id} to make it: ${message}`,
    )
  if (status === 404 && /Not found: Project/i.test(message))
    return no('project_not_found', `There is no project ${project_id} that the service account can see.`)
  if (status === 404) return no('dataset_not_found', `There is no dataset ${dataset_id} in ${project_id}: ${message}`)
  if (status === 400 && /location|region/i.test(message))
    return no('wrong_location', `BigQuery does not know this location: ${message}`)
  if (status > 0) return no(status >= 500 ? 'http_server_error' : 'http_client_error', message)
  if (/timeout|network timeout/i.test(message)) return no('timeout', 'BigQuery does not answer.')
  return no(
    UNREACHABLE.test(message) ? 'connection_refused' : 'unknown_error',
    `BigQuery cannot be reached: ${message}`,
  )
}

/** For a query. */
export function faultOf(error: unknown): unknown {
  if (error instanceof Fault) return error
  const failure = failureOf(error)
  if (isPassing(failure) || failure.status === 401)
    return new Fault('unavailable', 'The backend cannot be reached. Test its connection.', failure.message)
  return new Fault('query_failed', failure.message, failure.reasons)
}
