import { Fault } from '../../../base/faults.ts'
import type { Intake, Shape } from '../../intake.ts'
import { skipSpace } from '../../json/bytes.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { textMicros } from '../../time.ts'
import { readJsonBody } from '../bodies.ts'
import type { Delivery, Format, Headers } from '../format.ts'
import { layoutOf, typeOf } from '../media.ts'
import { addAll, at, except, text } from '../values.ts'
import { assertSound, elementsOf } from '../walk.ts'

const PREFIX = 'ce-'
const STRUCTURED = 'application/cloudevents+json'
const BATCH = 'application/cloudevents-batch+json'

/**
 * CloudEvents 1.0 in all three modes of HTTP. Binary: the attributes are headers, the data is the body, an object or a
 * list of them; an event needs no data. Structured and batch: the attributes stand in the body, beside `data`.
 *
 * Promises: however it was sent, an event is stored alike, with its attributes in the object `cloud_event` and the
 * fields of its data at the top; its time is the event's time when it is usable.
 * Refuses as a whole: any other version of the specification.
 */
export const cloudEvent: Format = {
  name: 'cloud-event',
  hidesRefused: false,
  readsEmpty: true,
  hasOwnSource: (headers) => isInBody(headers),
  check(headers) {
    if (layoutOf(headers) !== 'json') throw new Fault('unsupported_type', 'A cloud event is sent as application/json.')
    if (!isInBody(headers)) assertVersion(headerText(headers['ce-specversion']), 'The header CE-specversion')
  },
  time: (headers) => (isInBody(headers) ? undefined : headerText(headers['ce-time']) || undefined),
  async read(intake, delivery) {
    return isInBody(delivery.headers) ? readStructured(intake) : readBinary(intake, delivery)
  },
}

const isInBody = (headers: Headers): boolean => [STRUCTURED, BATCH].includes(typeOf(headers))

async function readBinary(intake: Intake, { headers, sourceField }: Delivery): Promise<void> {
  const { body } = intake
  const begin = (): JsonObject => new JsonObject().add('cloud_event', attributesOf(headers))
  if (skipSpace(body, 0) === body.length) return intake.made(0, body.length, begin)
  const shape: Shape = (value) => {
    if (typeof value === 'string') return begin().add('message', value)
    if (!(value instanceof JsonObject)) return value
    return addAll(begin(), sourceField ? except(value, sourceField) : value)
  }
  return readJsonBody(intake, { unwrapsBatch: false, element: shape, single: shape, line: shape })
}

async function readStructured(intake: Intake): Promise<void> {
  const { body } = intake
  await assertSound(intake)
  const elements = [...elementsOf(body, 0)]
  const isList = elements.length > 0
  // All of them first: one event of another version refuses the request, and then nothing of it may be stored.
  for (const from of isList ? elements : [0]) {
    const event = intake.valueAt(from)
    if (event instanceof JsonObject) assertVersion(text(at(event, 'specversion')), 'The attribute specversion')
  }
  return readJsonBody(intake, { unwrapsBatch: false, element: unpack, single: unpack })
}

function unpack(value: JsonValue): JsonValue {
  if (!(value instanceof JsonObject)) return value
  const event = new JsonObject().add('cloud_event', except(value, 'data', 'data_base64'))
  const time = at(value, 'time')
  const isTimed = typeof time === 'string' && !Number.isNaN(textMicros(time))
  if (isTimed) event.add('timestamp', time)
  const packed = at(value, 'data_base64')
  if (packed !== undefined) event.add('data_base64', packed)
  const data = at(value, 'data')
  if (data instanceof JsonObject) {
    for (let i = 0; i < data.size; i++) {
      const name = data.names[i]!
      event.add(isTimed && name === 'timestamp' ? '_timestamp' : name, data.values[i]!)
    }
  } else if (typeof data === 'string') event.add('message', data)
  else if (data !== undefined) event.add('data', data)
  return event
}

function assertVersion(version: string, place: string): void {
  if (/^1\.0(\.\d+)?$/.test(version)) return
  const problem = version === '' ? 'is missing' : `is ${version}, which is not supported`
  throw new Fault('bad_request', `${place} ${problem}. Send 1.0.2.`)
}

function attributesOf(headers: Headers): JsonObject {
  const attributes = new JsonObject()
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX)) attributes.add(name.slice(PREFIX.length).replaceAll('-', '_'), headerText(value))
  }
  return attributes
}

/**
 * Senders write what is not plain ASCII as percent-encoded UTF-8; some write UTF-8 as it is, which Node reads as
 * Latin-1. A percent sign that begins no such code stands for itself.
 */
function headerText(header: string | string[] | undefined): string {
  const joined = Array.isArray(header) ? header.join(', ') : (header ?? '')
  const unpacked = joined.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(unpacked, 'latin1').toString('utf8')
}
