import type { Example } from '../example.ts'
import { drainExamples } from './drains.ts'
import { jsonExamples } from './json.ts'
import { loggerExamples } from './loggers.ts'
import { openTelemetryExamples } from './opentelemetry.ts'
import { peerExamples } from './peers.ts'
import { shipperExamples } from './shippers.ts'
import { syslogExamples } from './syslog.ts'

/** All examples of the guide to sending. */
export const examples: Example[] = [
  ...jsonExamples,
  ...loggerExamples,
  ...openTelemetryExamples,
  ...peerExamples,
  ...shipperExamples,
  ...drainExamples,
  ...syslogExamples,
]
