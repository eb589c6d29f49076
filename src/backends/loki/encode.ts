import type { StoredEvent } from '../../model/event-of-row.ts'
import type { Batch } from '../kind.ts'

/** One stream a source; a line with its time in nanoseconds, and every other field as text beside it. */
export function encode({ source, events }: Batch): string {
  const stream = { source: source.name, service: source.serviceName ?? source.name }
  const values = events.map((event) => [
    `${BigInt(event.timestamp) * 1000n}`,
    event.event_message ?? '',
    structuredMetadata(event),
  ])
  return JSON.stringify({ streams: [{ stream, values }] })
}

function structuredMetadata({ timestamp: _timestamp, event_message: _message, ...fields }: StoredEvent) {
  const flat: Record<string, string> = {}
  flatten(fields, '', flat)
  return flat
}

function flatten(value: unknown, path: string, into: Record<string, string>): void {
  if (value === null || value === undefined) return
  if (typeof value !== 'object') {
    into[path] = String(value)
    return
  }
  for (const [name, inner] of Object.entries(value)) flatten(inner, path === '' ? name : `${path}_${name}`, into)
}
