import { printEvent } from '../../model/event-of-row.ts'
import type { Batch } from '../kind.ts'
import { isoMicroseconds } from '../time.ts'

export function encode({ source, events }: Batch): string {
  const service = JSON.stringify(source.serviceName ?? source.name)
  const items = events.map((event) => {
    const message = JSON.stringify(`${isoMicroseconds(event.timestamp)} ${event.event_message ?? ''}`)
    return `{"message":${message},"ddsource":"millrace","service":${service},"data":${printEvent(event)}}`
  })
  return `[${items.join(',')}]`
}
