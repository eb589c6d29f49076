/**
 * Answers of endpoints as the dashboard of a self-hosted Supabase reads them, in drop-in mode only: an object inside a row
 * is a list of one (it reads `metadata[0].request[0].path`), and an error is an object with a message.
 */
import type { FastifyInstance } from 'fastify'

export function dashboardBody(list: Buffer): string {
  const rows: unknown = JSON.parse(list.toString('utf8'))
  if (!Array.isArray(rows)) throw new Error('rows are a list')
  return JSON.stringify({ result: rows.map(fieldsOf) })
}

/** The values of an object, wrapped; a row itself is not. */
function fieldsOf(row: unknown): unknown {
  if (row === null || typeof row !== 'object') return row
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, wrapped(value)]))
}

function wrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fieldsOf)
  return value !== null && typeof value === 'object' ? [fieldsOf(value)] : value
}

export function answerDashboardErrors(app: FastifyInstance): void {
  app.addHook('preSerialization', (_request, _reply, payload, done) => {
    if (payload === null || typeof payload !== 'object' || !('error' in payload)) return done(null, payload)
    const { error, ...details } = payload
    done(null, { error: { message: error, ...details } })
  })
}
