import { Fault } from '../../base/faults.ts'
import type { Headers } from './format.ts'

/** How a body is laid out, by its content type. */
export type Layout = 'json' | 'lines'

const LINES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']
const JSON_TYPES = ['application/json', 'application/csp-report', 'text/json']

/** The content type without its parameters, in lower case. */
export function typeOf(headers: Headers): string {
  const header = headers['content-type']
  return (typeof header === 'string' ? header : '').split(';', 1)[0]!.trim().toLowerCase()
}

const PROTOBUF_TYPES = ['application/x-protobuf', 'application/protobuf', 'application/vnd.google.protobuf']

export const isProtobuf = (headers: Headers): boolean => PROTOBUF_TYPES.includes(typeOf(headers))

/**
 * A request without a content type is read as JSON; an unknown type is refused unless the format has more of them. `offered`:
 * the types that the sender is told to use.
 */
export function layoutOf(
  headers: Headers,
  moreLines: readonly string[] = [],
  offered = 'application/json or application/x-ndjson',
): Layout {
  // What most senders say, and the only thing asked of every request.
  if (headers['content-type'] === 'application/json') return 'json'
  const type = typeOf(headers)
  if (type === '' || JSON_TYPES.includes(type) || /^application\/[^\s]+\+json$/.test(type)) return 'json'
  if (LINES.includes(type) || moreLines.includes(type)) return 'lines'
  throw new Fault('unsupported_type', `Content type ${type} is not supported. Send ${offered}.`)
}
