/**
 * The one place that knows status numbers. Whatever stops a request leaves as JSON: `{"error": sentence}`, or
 * `{"errors": {field: [texts]}}` for a record that does not hold, with what the fault adds for programs (the position in
 * a query). Details of the inside stay in the log.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault, type FaultCode, InvalidRecord, TooOften } from '../base/faults.ts'
import type { LaneResponse } from './lane.ts'

export const STATUS: Record<FaultCode, number> = {
  bad_request: 400,
  query_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  invalid: 422,
  over_quota: 429,
  busy: 429,
  setup: 500,
  unavailable: 503,
}

export const RETRY_AFTER_S = 3
const INTERNAL = { error: 'Internal server error. The operator finds the reason in the log under this request id.' }

export type Refusal = { status: number; body: object }

/** What a caller is told about an error, and whether it is the service's own fault. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof InvalidRecord)
    return { status: STATUS.invalid, body: { errors: error.errors, ...error.details } }
  if (error instanceof Fault) {
    const status = STATUS[error.code]
    return { status, body: status === 500 ? INTERNAL : { error: error.message, ...error.details } }
  }
  if (isFrameworkError(error)) return frameworkRefusal(error)
  return { status: 500, body: INTERNAL }
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
}

function frameworkRefusal({ statusCode = 500, code }: FastifyError): Refusal {
  switch (statusCode) {
    case 413:
      return { status: 413, body: { error: 'The body is too large.' } }
    case 415:
      return { status: 415, body: { error: 'The content type is not supported here.' } }
    case 404:
      return { status: 404, body: { error: 'Not Found' } }
    case 503:
      return { status: 503, body: { error: 'The service is shutting down. Try again shortly.' } }
  }
  if (statusCode < 400 || statusCode > 499) return { status: 500, body: INTERNAL }
  const reason = FRAMEWORK_WORDS.get(code) ?? 'The request is malformed.'
  return { status: statusCode, body: { error: reason } }
}

const FRAMEWORK_WORDS = new Map([
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'The body is not valid JSON.'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'The body is empty.'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'The body is not as long as its content-length says.'],
  ['FST_ERR_BAD_URL', 'The address is not a valid URL path.'],
])

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, body } = refusalOf(error)
  const notes = error instanceof Fault ? error.notes : undefined
  // The path without its query: that may hold a token.
  const about = { reqId: request.id, method: request.method, path: pathOf(request.url), status, err: error, notes }
  if (status >= 500) request.log.error(about, 'a request failed')
  else if (notes !== undefined) request.log.info(about, 'a request was refused')
  if (status === 429 || status === 503)
    reply.header('retry-after', error instanceof TooOften ? error.retryAfterS : RETRY_AFTER_S)
  reply.code(status).send(body)
}

/** What a caller is told where there is no JSON: the status and the sentence. */
export function plainReason(error: unknown): { status: number; reason: string } {
  const { status } = refusalOf(error)
  return { status, reason: error instanceof Fault && status !== 500 ? error.message : INTERNAL.error }
}

/** What a caller is told in a protocol that has its own shape for errors: the status, the sentence, and when to retry. */
export function tellPlain(error: unknown, response: LaneResponse): { status: number; reason: string } {
  const told = plainReason(error)
  if (told.status === 429 || told.status === 503) response.setHeader('retry-after', RETRY_AFTER_S)
  return told
}

/** The same for a response outside the framework. Answers the status. */
export function answerPlain(error: unknown, response: LaneResponse): number {
  const { status, body } = refusalOf(error)
  if (response.headersSent || response.destroyed) return status
  const text = JSON.stringify(body)
  if (status === 429 || status === 503) response.setHeader('retry-after', RETRY_AFTER_S)
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(text))
  response.statusCode = status
  response.end(text)
  return status
}

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    reply.code(STATUS.not_found).send({ error: `There is no ${request.method} ${pathOf(request.url)}` })
  })
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url
