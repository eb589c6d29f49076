import { cloudEvent } from './cloud-event/cloud-event.ts'
import { datadog } from './datadog/datadog.ts'
import { edge } from './edge/edge.ts'
import { elastic } from './elastic/elastic.ts'
import { fluentBit } from './fluent-bit/fluent-bit.ts'
import { github } from './github/github.ts'
import { json } from './json/json.ts'
import { logs } from './logs/logs.ts'
import { loki } from './loki/loki.ts'
import { netlify } from './netlify/netlify.ts'
import { otlpLogs } from './otlp/logs.ts'
import { otlpMetrics } from './otlp/metrics.ts'
import { otlpTraces } from './otlp/traces.ts'
import { splunkRaw } from './splunk/raw.ts'
import { splunk } from './splunk/splunk.ts'
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
  loki,
  elastic,
  splunk,
  'splunk-raw': splunkRaw,
  datadog,
  'otlp-logs': otlpLogs,
  'otlp-traces': otlpTraces,
  'otlp-metrics': otlpMetrics,
} as const
