import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { messageAt, messagesOf, readMessage } from '../protobuf/message.ts'
import { at } from '../values.ts'
import { elementsOf, fieldAt, fieldsOf } from '../walk.ts'
import { addIf, attributesOf, float, integer, time } from './attributes.ts'
import { finish } from './finish.ts'
import { createOtlp } from './groups.ts'
import { DATA_POINTS, METRIC_KINDS, Metric, MetricAbout, MetricsRequest } from './messages.ts'
import { digits, named } from './numbers.ts'
import { shown } from './protobuf.ts'
import type { Group } from './signal.ts'

/** How a metric says what it is, and the word we have for it. */
const TYPES: Record<string, string> = {
  gauge: 'gauge',
  sum: 'sum',
  histogram: 'histogram',
  exponentialHistogram: 'exponential_histogram',
  exponential_histogram: 'exponential_histogram',
  summary: 'summary',
}
const TEMPORALITIES = ['unspecified', 'delta', 'cumulative']

/** Fields of a data point beside its value, attributes and times, in both spellings of JSON. */
const WHOLE_FIELDS: [string, string][] = [
  ['count', 'count'],
  ['bucketCounts', 'bucket_counts'],
  ['scale', 'scale'],
  ['zeroCount', 'zero_count'],
]
const FLOAT_FIELDS: [string, string][] = [
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['explicitBounds', 'explicit_bounds'],
]

/** Protobuf does not send zeros: what a kind of metric always has is zero when it is not there. */
const ZEROS: Record<string, string[]> = {
  histogram: ['count'],
  exponential_histogram: ['count', 'scale', 'zeroCount'],
  summary: ['count'],
}

/** One event per data point. */
export const otlpMetrics = createOtlp({
  name: 'otlp-metrics',
  nesting: {
    resources: ['resourceMetrics', 'resource_metrics'],
    scopes: ['scopeMetrics', 'scope_metrics'],
    records: ['metrics', 'metrics'],
  },
  request: MetricsRequest,
  record: Metric,
  take(intake, from, group) {
    const { body } = intake
    const about = new JsonObject()
    for (const { name, at: place } of fieldsOf(body, from)) {
      if (name === 'name' || name === 'unit') about.add(name, intake.valueAt(place))
    }
    for (const { name, at: data } of fieldsOf(body, from)) {
      const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
      if (type === undefined) continue
      const rest = new JsonObject()
      for (const field of fieldsOf(body, data)) {
        if (!/^data_?points$/i.test(field.name)) rest.add(field.name, intake.valueAt(field.at))
      }
      for (const point of elementsOf(body, fieldAt(body, data, 'dataPoints', 'data_points')))
        intake.event(point, (value) => pointEvent(value, { about, type, rest }, group))
    }
  },
  taker({ body }, assertSound) {
    assertSound()
    return (intake, from, to, group) => {
      const about = readMessage(body, from, to, MetricAbout, MAX_DEPTH)
      for (const [number, { type, rest: described, point }] of METRIC_KINDS) {
        const data = messageAt(body, from, to, number)
        if (!data) continue
        const rest = readMessage(body, ...data, described, MAX_DEPTH)
        for (const [start, end] of messagesOf(body, ...data, DATA_POINTS))
          intake.made(
            start,
            end,
            () => pointEvent(readMessage(body, start, end, point, MAX_DEPTH), { about, type, rest }, group),
            () => shown(body, start, end, point),
          )
      }
    }
  },
})

type About = { about: JsonObject; type: string; rest: JsonObject }

function pointEvent(point: JsonValue, { about, type, rest }: About, group: Group): JsonValue {
  if (!(point instanceof JsonObject)) return null
  const field = (camel: string, snake: string): JsonValue | undefined => at(point, camel) ?? at(point, snake)
  const event = new JsonObject()
  addIf(event, 'event_message', at(about, 'name'))
  addIf(event, 'timestamp', time(field('timeUnixNano', 'time_unix_nano')))
  addIf(event, 'start_time', digits(time(field('startTimeUnixNano', 'start_time_unix_nano'))))
  addIf(event, 'unit', at(about, 'unit'))
  event.add('metric_type', type)
  addIf(event, 'value', floats(field('asDouble', 'as_double')) ?? numbers(field('asInt', 'as_int')))
  for (const [camel, snake] of WHOLE_FIELDS)
    addIf(event, snake, numbers(field(camel, snake) ?? (ZEROS[type]?.includes(camel) ? '0' : undefined)))
  for (const [camel, snake] of FLOAT_FIELDS) addIf(event, snake, floats(field(camel, snake)))
  addIf(event, 'quantile_values', quantiles(field('quantileValues', 'quantile_values')))
  for (const side of ['positive', 'negative']) addIf(event, side, buckets(at(point, side)))
  if (type !== 'gauge' && type !== 'summary') {
    const temporality = at(rest, 'aggregationTemporality') ?? at(rest, 'aggregation_temporality') ?? '0'
    event.add('aggregation_temporality', named(TEMPORALITIES, temporality, 'AGGREGATION_TEMPORALITY_'))
  }
  if (type === 'sum') event.add('is_monotonic', at(rest, 'isMonotonic') ?? at(rest, 'is_monotonic') ?? false)
  event.add('attributes', attributesOf(at(point, 'attributes')))
  return finish(event, 'metric', group)
}

/** 64-bit integers come as text, alone and in lists. */
function numbers(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(integer)
  return value === undefined ? undefined : integer(value)
}

function floats(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(float)
  return value === undefined ? undefined : float(value)
}

function quantiles(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value
  const zero = new NumberText('0.0')
  return value.map((one) =>
    new JsonObject()
      .add('quantile', floats(at(one, 'quantile')) ?? zero)
      .add('value', floats(at(one, 'value')) ?? zero),
  )
}

function buckets(value: JsonValue | undefined): JsonValue | undefined {
  if (!(value instanceof JsonObject)) return undefined
  return new JsonObject()
    .add('offset', integer(at(value, 'offset') ?? '0'))
    .add('bucket_counts', numbers(at(value, 'bucketCounts') ?? at(value, 'bucket_counts')) ?? null)
}
