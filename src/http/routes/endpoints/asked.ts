/** What a request asks of an endpoint: values by name from the query string and, for POST, the body. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../../../base/faults.ts'

export type Asked = {
  values: Record<string, unknown>
  sql: unknown
  lql: unknown
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

/** Synchronous unless a GET has a body, which the framework leaves unread and which counts for `sql` alone. */
export function readAsked(request: FastifyRequest<{ Querystring: Record<string, unknown> }>): Asked | Promise<Asked> {
  if (request.method === 'POST') return separate({ ...request.query, ...bodyFields(request.body) })
  const asked = separate(request.query)
  return asked.sql === undefined && hasBody(request) ? withSqlOfBody(asked, request) : asked
}

/** A caller's own query apart from the values; tokens open the door and are no part of the question. */
export function separate(fields: Record<string, unknown>): Asked {
  for (const name in fields) {
    if (SPECIAL.has(name)) {
      const { sql, lql, api_key, header_X_API_KEY, ...values } = fields
      return { values, sql, lql }
    }
  }
  return { values: fields, sql: undefined, lql: undefined }
}

const SPECIAL = new Set(['sql', 'lql', 'api_key', 'header_X_API_KEY'])

async function withSqlOfBody(asked: Asked, request: FastifyRequest): Promise<Asked> {
  const { sql } = bodyFields(parseJson(await readBody(request)))
  return { ...asked, sql }
}

function bodyFields(body: unknown): Record<string, unknown> {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body))
    throw new Fault('bad_request', 'The body must be a JSON object: parameters by their names.')
  return { ...body }
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
