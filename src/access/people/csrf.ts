/**
 * A browser sends its cookies along whoever wrote the page. What changes something therefore also needs a word that only
 * our own page can know: it is made from the session's value, which scripts of no page can read.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../base/faults.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

export const csrfTokenOf = (session: string): string => createHmac('sha256', session).update('csrf').digest('base64url')

/** Throws `forbidden` for a change that our own page did not send. */
export function assertOwnPage(method: string, headers: IncomingHttpHeaders, session: string): void {
  if (SAFE.has(method)) return
  assertNotCrossSite(headers)
  const sent = headers['x-csrf-token']
  if (typeof sent !== 'string' || !isEqual(sent, csrfTokenOf(session)))
    throw new Fault(
      'forbidden',
      'Changes made with a session need the header x-csrf-token with the csrf_token of GET /api/session.',
    )
}

/** Browsers say where a request comes from; other programs say nothing. */
export function assertNotCrossSite(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site')
    throw new Fault('forbidden', 'This request came from a page of another site. Changes are taken only from our own.')
}

function isEqual(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
