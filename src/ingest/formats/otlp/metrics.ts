import { JsonObject, type JsonValue } from '../../json/value.ts'
import { at } from '../values.ts'
import { elementsOf, fieldAt, fieldsOf } from '../walk.ts'
import { addIf, attributesOf, integer } from './attributes.ts'
import { finish } from './finish.ts'
import { createOtlp, type Group } from './groups.ts'
import { digits, named } from './numbers.ts'

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
const POINT_FIELDS: [string, string][] = [
  ['count', 'count'],
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['bucketCounts', 'bucket_counts'],
  ['explicitBounds', 'explicit_bounds'],
  ['scale', 'scale'],
  ['zeroCount', 'zero_count'],
  ['quantileValues', 'quantile_values'],
]

/** One event per data point. */
export const otlpMetrics = createOtlp({
  name: 'otlp-metrics',
  nesting: {
    resources: ['resourceMetrics', 'resource_metrics'],
    scopes: ['scopeMetrics', 'scope_metrics'],
    records: ['metrics', 'metrics'],
  },
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
})

type Metric = { about: JsonObject; type: string; rest: JsonObject }

function pointEvent(point: JsonValue, { about, type, rest }: Metric, group: Group): JsonValue {
  if (!(point instanceof JsonObject)) return null
  const field = (camel: string, snake: string): JsonValue | undefined => at(point, camel) ?? at(point, snake)
  const event = new JsonObject()
  addIf(event, 'event_message', at(about, 'name'))
  addIf(event, 'timestamp', field('timeUnixNano', 'time_unix_nano'))
  addIf(event, 'start_time', digits(field('startTimeUnixNano', 'start_time_unix_nano')))
  addIf(event, 'unit', at(about, 'unit'))
  event.add('metric_type', type)
  addIf(event, 'value', field('asDouble', 'as_double') ?? numbers(field('asInt', 'as_int')))
  for (const [camel, snake] of POINT_FIELDS) addIf(event, snake, numbers(field(camel, snake)))
  for (const side of ['positive', 'negative']) addIf(event, side, buckets(at(point, side)))
  const temporality = at(rest, 'aggregationTemporality') ?? at(rest, 'aggregation_temporality')
  if (temporality !== undefined)
    event.add('aggregation_temporality', named(TEMPORALITIES, temporality, 'AGGREGATION_TEMPORALITY_'))
  addIf(event, 'is_monotonic', at(rest, 'isMonotonic') ?? at(rest, 'is_monotonic'))
  event.add('attributes', attributesOf(at(point, 'attributes')))
  return finish(event, 'metric', group)
}

/** 64-bit integers come as text, alone and in lists. */
function numbers(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(integer)
  return value === undefined ? undefined : integer(value)
}

function buckets(value: JsonValue | undefined): JsonValue | undefined {
  if (!(value instanceof JsonObject)) return undefined
  const read = new JsonObject()
  addIf(read, 'offset', at(value, 'offset'))
  addIf(read, 'bucket_counts', numbers(at(value, 'bucketCounts') ?? at(value, 'bucket_counts')))
  return read
}
