/**
 * Reads the head of a request that is plain: whole in one piece, one of the two methods, every header said once, in
 * printable ASCII, and a length where there is a body. About anything else it says nothing, and Node's own parser reads it:
 * where two readers of HTTP could understand something differently, there must be only one.
 */
import type { IncomingHttpHeaders } from 'node:http'

/** Headers are shared by all requests that say the same, and cannot be changed. */
export type PlainRequest = { method: 'GET' | 'POST'; url: string; headers: IncomingHttpHeaders; body: Buffer }

type PlainHead = Omit<PlainRequest, 'body'> & { length: number }

/** Longer heads are not what the plain way is for. */
const MAX_HEAD_BYTES = 8_192
const REQUEST_LINE = /^(GET|POST) (\/[!-~]*) HTTP\/1\.1$/
const NAME = /^[a-z0-9-]+$/
const VALUE = /^[ -~]*$/
const LENGTH = /^(?:0|[1-9]\d{0,7})$/

/** They change how a request or its answer travels. */
const NOT_PLAIN = new Set(['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'http2-settings', 'keep-alive'])

/** Reads heads. Null when the bytes are not exactly one plain request. */
export type ReadPlain = (bytes: Buffer) => PlainRequest | null

/** Senders say the same head again and again, so it is read once; longer ones are read every time. */
const HEADS_KEPT = 2_000
const KEPT_HEAD_BYTES = 1_024

export function createReadPlain(): ReadPlain {
  const heads = new Map<string, PlainHead>()

  function headOf(text: string): PlainHead | null {
    const known = heads.get(text)
    if (known) return known
    const head = readHead(text)
    if (head && text.length <= KEPT_HEAD_BYTES) {
      if (heads.size >= HEADS_KEPT) heads.clear()
      heads.set(text, head)
    }
    return head
  }

  return (bytes) => {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0 || end > MAX_HEAD_BYTES) return null
    const head = headOf(bytes.toString('latin1', 0, end))
    // Less is a body that is still on its way; more is the next request.
    if (head === null || bytes.length - end - 4 !== head.length) return null
    const { method, url, headers } = head
    return { method, url, headers, body: bytes.subarray(end + 4) }
  }
}

function readHead(text: string): PlainHead | null {
  const lineEnd = text.indexOf('\r\n')
  if (lineEnd < 0) return null
  const line = REQUEST_LINE.exec(text.slice(0, lineEnd))
  const headers = line && readHeaders(text, lineEnd + 2)
  if (!headers || headers.host === undefined) return null
  const method = line[1] === 'GET' ? 'GET' : 'POST'
  const length = headers['content-length']
  if (method === 'GET' ? length !== undefined : length === undefined || !LENGTH.test(length)) return null
  return { method, url: line[2]!, headers: Object.freeze(headers), length: Number(length ?? 0) }
}

function readHeaders(text: string, from: number): IncomingHttpHeaders | null {
  const headers: IncomingHttpHeaders = {}
  for (let at = from; at < text.length; ) {
    const found = text.indexOf('\r\n', at)
    const end = found < 0 ? text.length : found
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon > end) return null
    const name = text.slice(at, colon).toLowerCase()
    const value = text.slice(colon + 1, end).trim()
    if (!NAME.test(name) || !VALUE.test(value) || name in headers || NOT_PLAIN.has(name)) return null
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return null
    headers[name] = value
    at = end + 2
  }
  return headers
}
