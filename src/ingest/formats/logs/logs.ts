import type { Shape } from '../../intake.ts'
import { JsonObject } from '../../json/value.ts'
import { bertToJson, isBert } from '../bert/bert.ts'
import { readJsonBody, readLines } from '../bodies.ts'
import { fluentBit, isFluentBit } from '../fluent-bit/fluent-bit.ts'
import type { Delivery, Format } from '../format.ts'
import { layoutOf } from '../media.ts'

/**
 * The service's own format: `{"batch":[…]}`, a bare array, one object, or newline-delimited JSON, also when that
 * comes labelled as JSON; from Elixir and Erlang also as BERT. Fields beside `batch` select the source and are not stored.
 */
export const logs: Format = {
  name: 'logs',
  hidesRefused: false,
  isBinary: isBert,
  toJson: bertToJson,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  async read(intake, delivery: Delivery) {
    const { headers, sourceField } = delivery
    if (isFluentBit(headers)) return fluentBit.read(intake, delivery)
    if (layoutOf(headers) === 'lines') return readLines(intake)
    return readJsonBody(intake, { unwrapsBatch: true, single: sourceField && without(sourceField) })
  },
}

/** A single event that named its own source: the name is an address, not part of the event. */
export function without(name: string): Shape {
  return (value) => {
    if (!(value instanceof JsonObject)) return value
    const rest = new JsonObject()
    for (let i = 0; i < value.size; i++) if (value.names[i] !== name) rest.add(value.names[i]!, value.values[i]!)
    return rest
  }
}
