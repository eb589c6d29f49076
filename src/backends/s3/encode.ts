/** Events as files of columns, one for every hour that they are of, under keys that a repeat gives again. */
import { createHash } from 'node:crypto'
import { printEvent, type StoredEvent } from '../../model/event-of-row.ts'
import { addFields, type Fields, type FlatFields } from '../../model/fields.ts'
import { fieldColumns } from '../../warehouse/engine/columns.ts'
import type { Batch } from '../kind.ts'

const HOUR_US = 3_600_000_000

/** `rows` is a JSON list. */
export type ObjectToWrite = { key: string; rows: Buffer }

/**
 * The key holds where the batch begins in the journal, and a hash of its first event: the one so that a batch which is
 * sent again replaces what it wrote before, the other so that another journal never does.
 */
export function objectsOf({ source, events, place }: Batch, prefix: string): ObjectToWrite[] {
  const first = events[0]
  if (!first) return []
  const hash = createHash('sha256').update(place ? printEvent(first) : events.map(printEvent).join('\n'))
  const start = place ? `${String(place.position).padStart(16, '0')}-${place.row}` : 'again'
  const file = `${start}-${hash.digest('hex').slice(0, 16)}.parquet`
  const folder = [...(prefix ? [prefix] : []), `source=${encodeURIComponent(source.name)}`].join('/')
  return [...byHour(events)].map(([hour, ofHour]) => {
    const time = new Date(hour * 3_600_000).toISOString()
    const key = `${folder}/date=${time.slice(0, 10)}/hour=${time.slice(11, 13)}/${file}`
    return { key, rows: Buffer.from(`[${ofHour.map(printEvent).join(',')}]`) }
  })
}

function byHour(events: StoredEvent[]): Map<number, StoredEvent[]> {
  const hours = new Map<number, StoredEvent[]>()
  for (const event of events) {
    const hour = Math.floor(event.timestamp / HOUR_US)
    const known = hours.get(hour)
    if (known) known.push(event)
    else hours.set(hour, [event])
  }
  return hours
}

/** The same as in the parts of the warehouse. */
export function columnsOf(flat: FlatFields): { name: string; type: string }[] {
  const fields: Fields = new Map()
  addFields(fields, flat)
  return [
    { name: 'id', type: 'VARCHAR' },
    { name: 'timestamp', type: 'TIMESTAMP' },
    { name: 'event_message', type: 'VARCHAR' },
    ...fieldColumns(fields),
  ]
}
