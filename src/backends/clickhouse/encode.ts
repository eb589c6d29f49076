/** Events as JSONEachRow: one object a line. */
import type { StoredEvent } from '../../model/event-of-row.ts'
import { printExactly } from '../json.ts'
import { isoMicroseconds } from '../time.ts'

export function encode(events: StoredEvent[]): string {
  return events.map(line).join('')
}

const line = ({ timestamp, ...rest }: StoredEvent): string =>
  `${printExactly({ timestamp: isoMicroseconds(timestamp).replace('T', ' ').slice(0, -1), ...rest })}\n`
