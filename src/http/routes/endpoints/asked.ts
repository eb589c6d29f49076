/** What a request asks of an endpoint: values by name from the query string and, for POST, the body. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../../../base/faults.ts'

export type Asked = {
  values: Record<string, unknown>
  sql: unknown
  lql: unknown
  /** What the query string says about the token. */
  credentials: Record<string, unknown>
}

const BODY_MAX_BYTES = 1_000_000

/** JSON and forms; a body without either is nothing we could read. */
export function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:$|;)/,
    { parseAs: 'string', bodyLimit: BODY_MAX_BYTES },
    (_request, body, done) => {
      try {
        done(null, parseJson(String(body)))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  )
  app.addContentTypeParser(
    /^application\/x-www-form-urlencoded(?:$|;)/,
    { parseAs: 'string', bodyLimit: BODY_MAX_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
}

export async function readAsked(request: FastifyRequest): Promise<Asked> {
  const inQuery = fieldsOf(request.query)
  const { api_key, header_X_API_KEY, ...named } = inQuery
  const { sql, lql, ...values } = request.method === 'POST' ? { ...named, ...bodyFields(request.body) } : named
  const credentials = { api_key, header_X_API_KEY }
  if (request.method === 'POST' || 'sql' in inQuery || !hasBody(request)) return { values, sql, lql, credentials }
  // The body of a GET counts for `sql` alone.
  return { values, sql: bodyFields(parseJson(await readBody(request))).sql, lql, credentials }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

function bodyFields(body: unknown): Record<string, unknown> {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body))
    throw new Fault('bad_request', 'The body must be a JSON object: parameters by their names.')
  return fieldsOf(body)
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('bad_request', 'The body is not valid JSON.')
  }
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The framework leaves the body of a GET unread. */
async function readBody({ raw }: FastifyRequest): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of raw) {
    bytes += piece.length
    if (bytes > BODY_MAX_BYTES) throw new Fault('too_large', 'The body is too large.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
