import type { Shape } from '../../intake.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { addAll, text } from '../values.ts'

/** Labels that may name the source, the first that is there. */
const NAMING_LABELS = ['source_name', 'service_name', 'job']

/** The name by which the labels of a stream say where it belongs; empty: they say nothing. */
export function nameIn(labels: JsonValue): string {
  if (!(labels instanceof JsonObject)) return ''
  for (const name of NAMING_LABELS) {
    const index = labels.names.indexOf(name)
    const value = index < 0 ? '' : text(labels.values[index])
    if (value !== '') return value
  }
  return ''
}

/** What an entry of a stream with these labels stands for. */
export function shapeOf(labels: JsonValue): Shape {
  return (value) => {
    // What is no entry is refused as such by the pipeline.
    if (!Array.isArray(value) || value.length < 2) return null
    const [time = null, line = null, metadata] = value
    const event = new JsonObject().add('timestamp', time).add('message', line)
    if (labels instanceof JsonObject) event.add('labels', addAll(new JsonObject(), labels))
    return metadata instanceof JsonObject ? event.add('metadata', metadata) : event
  }
}
