import type { Intake } from '../../intake.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'
import { messagesOf, readMessage } from '../protobuf/message.ts'
import { at } from '../values.ts'
import { elementsOf, fieldAt } from '../walk.ts'
import { addIf, attributesOf, hexId, time } from './attributes.ts'
import { finish } from './finish.ts'
import { createOtlp } from './groups.ts'
import { SPAN_EVENTS, Span, SpanEvent, TracesRequest } from './messages.ts'
import { digits, named } from './numbers.ts'
import { shown } from './protobuf.ts'
import type { Group } from './signal.ts'

const KINDS = ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer']
const STATUSES = ['Unset', 'Ok', 'Error']

/** One event per span, and one per event of a span. */
export const otlpTraces = createOtlp({
  name: 'otlp-traces',
  nesting: {
    resources: ['resourceSpans', 'resource_spans'],
    scopes: ['scopeSpans', 'scope_spans'],
    records: ['spans', 'spans'],
  },
  request: TracesRequest,
  record: Span,
  take(intake: Intake, from: number, group: Group) {
    let ids: Ids = { trace: null, span: null }
    intake.event(from, (span) => {
      ids = idsOf(span)
      return spanEvent(span, group)
    })
    for (const event of elementsOf(intake.body, fieldAt(intake.body, from, 'events')))
      intake.event(event, (value) => eventOfSpan(value, ids, group))
  },
  taker({ body }, assertSound) {
    assertSound()
    return (intake, from, to, group) => {
      let ids: Ids = { trace: null, span: null }
      intake.made(from, to, () => {
        const span = readMessage(body, from, to, Span, MAX_DEPTH)
        ids = idsOf(span)
        return spanEvent(span, group)
      })
      for (const [start, end] of messagesOf(body, from, to, SPAN_EVENTS))
        intake.made(
          start,
          end,
          () => eventOfSpan(readMessage(body, start, end, SpanEvent, MAX_DEPTH), ids, group),
          () => shown(body, start, end, SpanEvent),
        )
    }
  },
})

type Ids = { trace: string | null; span: string | null }

const idsOf = (span: JsonValue): Ids => ({
  trace: hexId(at(span, 'traceId') ?? at(span, 'trace_id')),
  span: hexId(at(span, 'spanId') ?? at(span, 'span_id')),
})

function spanEvent(span: JsonValue, { resource, scope }: Group): JsonValue {
  if (!(span instanceof JsonObject)) return null
  const field = (camel: string, snake: string): JsonValue | undefined => at(span, camel) ?? at(span, snake)
  const start = time(field('startTimeUnixNano', 'start_time_unix_nano'))
  const event = new JsonObject()
  addIf(event, 'event_message', at(span, 'name'))
  addIf(event, 'timestamp', start)
  const { trace, span: id } = idsOf(span)
  addIf(event, 'trace_id', trace)
  addIf(event, 'span_id', id)
  addIf(event, 'parent_span_id', hexId(field('parentSpanId', 'parent_span_id')))
  event.add('kind', named(KINDS, at(span, 'kind'), 'SPAN_KIND_'))
  addIf(event, 'start_time', digits(start))
  addIf(event, 'end_time', digits(time(field('endTimeUnixNano', 'end_time_unix_nano'))))
  const status = at(span, 'status')
  if (status instanceof JsonObject) {
    const told = new JsonObject().add('code', named(STATUSES, at(status, 'code'), 'STATUS_CODE_'))
    addIf(told, 'message', at(status, 'message'))
    event.add('status', told)
  }
  event.add('attributes', attributesOf(at(span, 'attributes')))
  return finish(event, 'span', { resource, scope })
}

function eventOfSpan(value: JsonValue, ids: Ids, group: Group): JsonValue {
  if (!(value instanceof JsonObject)) return null
  const event = new JsonObject()
  addIf(event, 'event_message', at(value, 'name'))
  addIf(event, 'timestamp', time(at(value, 'timeUnixNano') ?? at(value, 'time_unix_nano')))
  addIf(event, 'trace_id', ids.trace)
  addIf(event, 'parent_span_id', ids.span)
  event.add('attributes', attributesOf(at(value, 'attributes')))
  return finish(event, 'event', group)
}
