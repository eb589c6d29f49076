import { ProtobufWriter } from '../../base/protobuf/writer.ts'
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { Batch } from '../kind.ts'
import { severityOf } from './severity.ts'

const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.26.0'
const SCOPE = 'millrace'

type Manner = { isFlat: boolean }

/** One `ExportLogsServiceRequest`: one resource, named after the source, and a record for each event. */
export function encode({ source, events }: Batch, { isFlat }: Manner): Buffer {
  const service = source.serviceName ?? source.name
  return new ProtobufWriter(64 * 1024)
    .message(1, (logs) =>
      logs
        .message(1, (resource) => writePair(resource, 1, 'service.name', service))
        .message(2, (scoped) => {
          scoped.message(1, (scope) => scope.text(1, SCOPE))
          for (const event of events) scoped.message(2, (record) => writeRecord(record, event, isFlat))
        })
        .text(3, SCHEMA_URL),
    )
    .finish()
}

function writeRecord(record: ProtobufWriter, event: StoredEvent, isFlat: boolean): void {
  const { timestamp, event_message: message, attributes, severity_text, trace_id, span_id, ...rest } = event
  const { severity_number, ...fields } = rest
  record.fixed64(1, BigInt(timestamp) * 1000n).fixed64(11, observedNs(event))
  const severity = severityOf(event)
  if (severity !== 0) record.integer(2, severity)
  if (typeof severity_text === 'string') record.text(3, severity_text)
  else if (severity_text !== undefined) fields.severity_text = severity_text
  if (!Number.isInteger(severity_number) && severity_number !== undefined) fields.severity_number = severity_number
  if (isRecord(attributes)) for (const [name, value] of Object.entries(attributes)) writePair(record, 6, name, value)
  else if (attributes !== undefined) fields.attributes = attributes
  if (isFlat) {
    record.message(5, (body) => body.text(1, message ?? ''))
    for (const [name, value] of flattened(fields, '')) writePair(record, 6, name, value)
  } else {
    if (message !== null) record.text(12, message)
    record.message(5, (body) => writeValue(body, fields))
  }
  if (typeof trace_id === 'string') record.bytes(9, idBytes(trace_id))
  if (typeof span_id === 'string') record.bytes(10, idBytes(span_id))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function writePair(writer: ProtobufWriter, field: number, key: string, value: unknown): void {
  if (value === null || value === undefined) return
  writer.message(field, (pair) => pair.text(1, key).message(2, (inner) => writeValue(inner, value)))
}

/** An `AnyValue`. */
function writeValue(writer: ProtobufWriter, value: unknown): void {
  if (typeof value === 'string') writer.text(1, value)
  else if (typeof value === 'boolean') writer.boolean(2, value)
  else if (typeof value === 'bigint') writer.integer(3, value)
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) writer.integer(3, value)
    else writer.double(4, value)
  } else if (Array.isArray(value))
    writer.message(5, (list) => {
      for (const one of value) list.message(1, (inner) => writeValue(inner, one))
    })
  else if (isRecord(value))
    writer.message(6, (list) => {
      for (const [name, inner] of Object.entries(value)) writePair(list, 1, name, inner)
    })
}

/** Lists stay lists; fields of objects get the names that lead to them. */
function* flattened(fields: Record<string, unknown>, prefix: string): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(fields)) {
    if (isRecord(value)) yield* flattened(value, `${prefix}${name}.`)
    else yield [prefix + name, value]
  }
}

/** Ids are hex here; another text is sent as its bytes. */
function idBytes(id: string): Buffer {
  return /^(?:[0-9a-f]{2})+$/i.test(id) ? Buffer.from(id, 'hex') : Buffer.from(id)
}

/** An id of ours says when the event came in; otherwise its own time is the best there is. */
function observedNs({ id, timestamp }: StoredEvent): bigint {
  const isOurs = /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)
  return isOurs ? BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}`) * 1_000_000n : BigInt(timestamp) * 1000n
}
