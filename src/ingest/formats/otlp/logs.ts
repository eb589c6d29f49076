import { printJson } from '../../json/print.ts'
import { copyOf, JsonObject, type JsonValue } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { readMessage } from '../protobuf/message.ts'
import { at, text } from '../values.ts'
import { addIf, anyValue, attributesOf, hexId, integer, time } from './attributes.ts'
import { createOtlp } from './groups.ts'
import { LogLines } from './log-lines.ts'
import { LogRecord, LogsRequest } from './messages.ts'
import type { Group } from './signal.ts'

/** One event per log record. */
export const otlpLogs = createOtlp({
  name: 'otlp-logs',
  nesting: {
    resources: ['resourceLogs', 'resource_logs'],
    scopes: ['scopeLogs', 'scope_logs'],
    records: ['logRecords', 'log_records'],
  },
  request: LogsRequest,
  record: LogRecord,
  take: (intake, from, group) => void intake.event(from, (record) => logEvent(record, group)),
  taker(intake, assertSound) {
    const { body } = intake
    const lines = new LogLines(intake)
    return (intake, from, to, group) => {
      if (lines.isTaken(from, to, group)) return
      assertSound()
      intake.made(from, to, () => logEvent(readMessage(body, from, to, LogRecord, MAX_DEPTH), group))
    }
  },
})

function logEvent(record: JsonValue, { resource, scope }: Group): JsonValue {
  if (!(record instanceof JsonObject)) return null
  const field = (camel: string, snake: string): JsonValue | undefined => at(record, camel) ?? at(record, snake)
  const body = anyValue(at(record, 'body'))
  const name = text(field('eventName', 'event_name'))
  const event = new JsonObject()
  addIf(event, 'event_message', typeof body === 'string' ? body : name || (body === null ? '' : printJson(body)))
  addIf(event, 'body', body)
  addIf(event, 'event_name', name)
  // A record that was not timed where it happened was timed where it was seen.
  const seen = field('observedTimeUnixNano', 'observed_time_unix_nano')
  addIf(event, 'timestamp', time(field('timeUnixNano', 'time_unix_nano')) ?? time(seen))
  const severity = integer(field('severityNumber', 'severity_number') ?? null)
  if (text(severity) !== '0') addIf(event, 'severity_number', severity)
  addIf(event, 'severity_text', field('severityText', 'severity_text'))
  addIf(event, 'trace_id', hexId(field('traceId', 'trace_id')))
  addIf(event, 'span_id', hexId(field('spanId', 'span_id')))
  event.add('attributes', attributesOf(at(record, 'attributes')))
  // Shared by the group, and later steps may change what they get.
  event.add('scope', copyOf(scope)).add('resource', copyOf(resource))
  return event.add('metadata', new JsonObject().add('type', 'otel_log'))
}
