/** What senders ask before they send: is anybody there, and is it what they were written for. Needs no token. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Addresses } from './addresses.ts'

type Check = {
  status: number
  body: object | string
  headers?: Record<string, string>
  /** Only for these senders; the path is also somebody else's. */
  agents?: RegExp
}

/** By method and path. */
const CHECKS = new Map<string, Check>([])

/** Answers whether the request was one of these. */
export function answerCheck(request: IncomingMessage, response: ServerResponse, addresses: Addresses): boolean {
  const { method = '', url = '', headers } = request
  const path = url.split('?', 1)[0]!
  const check = CHECKS.get(`${method} ${path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path}`)
  if (check && (!check.agents || check.agents.test(headers['user-agent'] ?? ''))) {
    const text = typeof check.body === 'string' ? check.body : JSON.stringify(check.body)
    send(response, check.status, text, {
      'content-type': typeof check.body === 'string' ? 'text/plain' : 'application/json; charset=utf-8',
      ...check.headers,
    })
    return true
  }
  // Shippers look at the address they will send to.
  if (method !== 'HEAD' || !addresses.of(url)) return false
  send(response, 200, '', {})
  return true
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers })
  response.end(text)
}
