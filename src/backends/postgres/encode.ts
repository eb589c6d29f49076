/** Events as rows of COPY: tab-separated text, `\N` for NULL. */
import type { StoredEvent } from '../../model/event-of-row.ts'
import { printExactly, wholeText } from '../json.ts'
import { isoMicroseconds } from '../time.ts'

/** The engine has no character with code 0; this one says that something was there. */
const NUL = '\ufffd'

const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const field = (text: string): string => text.replace(SPECIAL, (char) => ESCAPES[char]!)

export function encode(events: StoredEvent[]): string {
  return events.map(row).join('')
}

function row({ id, timestamp, event_message, ...body }: StoredEvent): string {
  const message = event_message === null ? '\\N' : field(wholeText(event_message, NUL))
  return `${field(wholeText(id, NUL))}\t${isoMicroseconds(timestamp)}\t${message}\t${field(printExactly(body, NUL))}\n`
}
