import { cloudEvent } from './cloud-event/cloud-event.ts'
import { edge } from './edge/edge.ts'
import { json } from './json/json.ts'
import { logs } from './logs/logs.ts'

/** Every format ingest reads, by the name its route has. */
export const formats = { logs, json, 'cloud-event': cloudEvent, edge } as const
