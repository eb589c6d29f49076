import type { IncomingHttpHeaders } from 'node:http'

/**
 * The token a request presents. The first place that holds one decides; there is no second try when it is wrong.
 * `header_X_API_KEY` is how edge log push writes a header into a URL.
 */
export function presentedToken(headers: IncomingHttpHeaders, query: Record<string, unknown>): string | null {
  return (
    bearer(headers.authorization) ||
    one(headers['x-api-key']) ||
    one(query.api_key) ||
    one(query.header_X_API_KEY) ||
    null
  )
}

function bearer(header: string | undefined): string {
  if (header === undefined || header.length < 7 || header.slice(0, 7).toLowerCase() !== 'bearer ') return ''
  return header.slice(7).trim()
}

function one(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first.trim() : ''
}
