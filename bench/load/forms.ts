/** The forms in which the same events travel: one function each, from lines of JSON to the body of a request. */
import { ProtobufWriter } from '../../src/base/protobuf/writer.ts'

export type Form = 'batch' | 'otlp' | 'loki' | 'bulk'

type Event = {
  timestamp: string
  message: string
  level: string
  service: string
  metadata: {
    host: string
    region: string
    request: Record<string, string | number>
    trace_id: string
    user: Record<string, string>
  }
}

const FORMS: Record<Form, { type: string; body(lines: Buffer[]): Buffer }> = {
  batch: { type: 'application/json', body: batch },
  otlp: { type: 'application/x-protobuf', body: (lines) => otlp(lines.map(parsed)) },
  loki: { type: 'application/json', body: (lines) => loki(lines.map(parsed)) },
  bulk: { type: 'application/x-ndjson', body: bulk },
}

export const contentType = (form: Form): string => FORMS[form].type
export const bodyOf = (lines: Buffer[], form: Form): Buffer => FORMS[form].body(lines)

const parsed = (line: Buffer): Event => JSON.parse(line.toString('utf8'))

/** One event travels alone; several as a batch. */
function batch(lines: Buffer[]): Buffer {
  if (lines.length === 1) return lines[0]!
  const parts: Buffer[] = [Buffer.from('{"batch":[')]
  lines.forEach((line, i) => {
    if (i > 0) parts.push(Buffer.from(','))
    parts.push(line)
  })
  parts.push(Buffer.from(']}'))
  return Buffer.concat(parts)
}

const ACTION = Buffer.from('{"create":{}}\n')
const NEWLINE = Buffer.from('\n')

function bulk(lines: Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [ACTION, line, NEWLINE]))
}

const nanoseconds = ({ timestamp }: Event): bigint => BigInt(Date.parse(timestamp)) * 1_000_000n

/** One resource a service, as a collector would gather them; what is left of an event are its attributes. */
function otlp(events: Event[]): Buffer {
  const writer = new ProtobufWriter(1024 * 1024)
  for (const [service, own] of grouped(events)) {
    writer.message(1, (logs) =>
      logs
        .message(1, (resource) => pair(resource, 1, 'service.name', service))
        .message(2, (scoped) => {
          scoped.message(1, (scope) => scope.text(1, 'bench'))
          for (const event of own) scoped.message(2, (log) => record(log, event))
        }),
    )
  }
  return Buffer.from(writer.finish())
}

function record(log: ProtobufWriter, event: Event): void {
  const { host, region, request, trace_id, user } = event.metadata
  log.fixed64(1, nanoseconds(event)).integer(2, 9).text(3, event.level)
  log.message(5, (body) => body.text(1, event.message))
  const attributes: Record<string, string | number> = { host, region }
  for (const [name, value] of Object.entries(request)) attributes[`request.${name}`] = value
  for (const [name, value] of Object.entries(user)) attributes[`user.${name}`] = value
  for (const [name, value] of Object.entries(attributes)) pair(log, 6, name, value)
  log.bytes(9, Buffer.from(trace_id, 'hex'))
}

function pair(writer: ProtobufWriter, field: number, key: string, value: string | number): void {
  writer.message(field, (inner) =>
    inner.text(1, key).message(2, (any) => (typeof value === 'string' ? any.text(1, value) : any.integer(3, value))),
  )
}

/** A stream a service; the other fields are structured metadata, which holds texts only. */
function loki(events: Event[]): Buffer {
  const streams = [...grouped(events)].map(([service, own]) => ({
    stream: { service },
    values: own.map((event) => {
      const { host, region, request, trace_id, user } = event.metadata
      const texts = Object.entries({ level: event.level, host, region, trace_id, ...request, ...user })
      return [String(nanoseconds(event)), event.message, Object.fromEntries(texts.map(([k, v]) => [k, String(v)]))]
    }),
  }))
  return Buffer.from(JSON.stringify({ streams }))
}

const grouped = (events: Event[]): Map<string, Event[]> => Map.groupBy(events, ({ service }) => service)
