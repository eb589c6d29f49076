/** The messages of OTLP as far as they are stored, by their published field numbers and the names of the JSON form. */
import { extend, type Message, message, type Table } from '../protobuf/message.ts'

export const AnyValue = message(
  { 1: ['stringValue', 'text'], 2: ['boolValue', 'bool'], 3: ['intValue', 'int'], 4: ['doubleValue', 'double'] },
  { isOneOf: true },
)
export const KeyValue = message({ 1: ['key', 'text'], 2: ['value', AnyValue] })
extend(AnyValue, {
  5: ['arrayValue', message({ 1: ['values', AnyValue, 'list'] })],
  6: ['kvlistValue', message({ 1: ['values', KeyValue, 'list'] })],
  7: ['bytesValue', 'base64'],
})

export const Resource = message({ 1: ['attributes', KeyValue, 'list'] })
export const Scope = message({ 1: ['name', 'text'], 2: ['version', 'text'], 3: ['attributes', KeyValue, 'list'] })

export const LogRecord = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'int'],
  3: ['severityText', 'text'],
  5: ['body', AnyValue],
  6: ['attributes', KeyValue, 'list'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'text'],
})

export const SpanEvent = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['name', 'text'],
  3: ['attributes', KeyValue, 'list'],
})

/** The number of `events` in a span; each of them is an event of its own. */
export const SPAN_EVENTS = 11

const span = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'int'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', KeyValue, 'list'],
  15: ['status', message({ 2: ['message', 'text'], 3: ['code', 'int'] })],
} satisfies Table

export const Span = message(span)

const times = { 2: ['startTimeUnixNano', 'fixed64'], 3: ['timeUnixNano', 'fixed64'] } satisfies Table

const NumberPoint = message({
  ...times,
  4: ['asDouble', 'double'],
  6: ['asInt', 'sfixed64'],
  7: ['attributes', KeyValue, 'list'],
})

const HistogramPoint = message({
  ...times,
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['bucketCounts', 'fixed64', 'list'],
  7: ['explicitBounds', 'double', 'list'],
  9: ['attributes', KeyValue, 'list'],
  11: ['min', 'double'],
  12: ['max', 'double'],
})

const Buckets = message({ 1: ['offset', 'sint'], 2: ['bucketCounts', 'uint', 'list'] })

const ExponentialPoint = message({
  ...times,
  1: ['attributes', KeyValue, 'list'],
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['scale', 'sint'],
  7: ['zeroCount', 'fixed64'],
  8: ['positive', Buckets],
  9: ['negative', Buckets],
  12: ['min', 'double'],
  13: ['max', 'double'],
})

const SummaryPoint = message({
  ...times,
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['quantileValues', message({ 1: ['quantile', 'double'], 2: ['value', 'double'] }), 'list'],
  7: ['attributes', KeyValue, 'list'],
})

/** The number of the points in each kind of metric. */
export const DATA_POINTS = 1

const temporality = { 2: ['aggregationTemporality', 'int'] } satisfies Table

const kind = (type: string, about: Table, point: Message) => ({
  type,
  /** What it says of all its points. */
  rest: message(about),
  point,
  whole: message({ ...about, [DATA_POINTS]: ['dataPoints', point, 'list'] }),
})

/** By their number in a metric. */
export const METRIC_KINDS = new Map([
  [5, kind('gauge', {}, NumberPoint)],
  [7, kind('sum', { ...temporality, 3: ['isMonotonic', 'bool'] }, NumberPoint)],
  [9, kind('histogram', temporality, HistogramPoint)],
  [10, kind('exponential_histogram', temporality, ExponentialPoint)],
  [11, kind('summary', {}, SummaryPoint)],
])

const metric = { 1: ['name', 'text'], 3: ['unit', 'text'] } satisfies Table

export const MetricAbout = message(metric)

export const Metric = message(metric)
for (const [number, { type, whole }] of METRIC_KINDS) extend(Metric, { [number]: [type, whole] })

/** The whole of a request, to check a body by. */
function requestOf(record: Message): Message {
  const scopes = message({ 1: ['scope', Scope], 2: ['records', record, 'list'] })
  const resources = message({ 1: ['resource', Resource], 2: ['scopes', scopes, 'list'] })
  return message({ 1: ['resources', resources, 'list'] })
}

export const LogsRequest = requestOf(LogRecord)
export const TracesRequest = requestOf(message({ ...span, [SPAN_EVENTS]: ['events', SpanEvent, 'list'] }))
export const MetricsRequest = requestOf(Metric)
