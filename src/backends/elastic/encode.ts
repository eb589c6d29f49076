import { printEvent } from '../../model/event-of-row.ts'
import type { Batch } from '../kind.ts'
import { isoMicroseconds } from '../time.ts'

export { encode as encodeBeat } from '../webhook/encode.ts'

/** Documents with the names that search clusters expect; what the service knows about an event is in `logflare`. */
export function encodePipeline({ source, events }: Batch): string {
  const documents = events.map((event) => {
    const { id, timestamp, event_message, ...rest } = event
    return printEvent({
      ...rest,
      ...{ '@timestamp': isoMicroseconds(timestamp), message: event_message },
      logflare: { id, source: source.name, source_uuid: source.token, event_type: eventType(rest.metadata) },
    })
  })
  return `[${documents.join(',')}]`
}

function eventType(metadata: unknown): string {
  const type = typeof metadata === 'object' && metadata !== null && 'type' in metadata ? metadata.type : null
  if (type === 'span' || type === 'trace') return 'trace'
  return type === 'metric' ? 'metric' : 'log'
}
