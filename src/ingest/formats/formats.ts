import { cloudEvent } from './cloud-event/cloud-event.ts'
import { edge } from './edge/edge.ts'
import { fluentBit } from './fluent-bit/fluent-bit.ts'
import { github } from './github/github.ts'
import { json } from './json/json.ts'
import { logs } from './logs/logs.ts'
import { netlify } from './netlify/netlify.ts'
import { syslog } from './syslog/syslog.ts'
import { typecasts } from './typecasts/typecasts.ts'
import { vector } from './vector/vector.ts'
import { vercel } from './vercel/vercel.ts'

/** Every format ingest reads, by its name. */
export const formats = {
  logs,
  json,
  'cloud-event': cloudEvent,
  edge,
  vector,
  vercel,
  netlify,
  github,
  typecasts,
  syslog,
  'fluent-bit': fluentBit,
} as const
