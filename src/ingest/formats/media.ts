import { Fault } from '../../base/faults.ts'
import type { Headers } from './format.ts'

/** How a body is laid out, by its content type. */
export type Layout = 'json' | 'lines'

const LINES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']
const JSON_TYPES = ['application/json', 'application/csp-report', 'text/json']

/** A request without a content type is read as JSON; an unknown type is refused unless the format has more of them. */
export function layoutOf(headers: Headers, moreLines: readonly string[] = []): Layout {
  const header = headers['content-type']
  const type = (typeof header === 'string' ? header : '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === '' || JSON_TYPES.includes(type) || /^application\/[^\s]+\+json$/.test(type)) return 'json'
  if (LINES.includes(type) || moreLines.includes(type)) return 'lines'
  throw new Fault(
    'unsupported_type',
    `Content type ${type} is not supported. Send application/json or application/x-ndjson.`,
  )
}
