import type { Shape } from '../../intake.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { readJsonBody } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { at, text } from '../values.ts'
import { FORM_TYPE, isForm, payloadOf } from './form.ts'

/**
 * A GitHub webhook, one event a request, as JSON or as a form with the JSON in it. The message names repository, sender and action; the payload is kept under
 * `metadata` without its many `…_url` fields, which would fill the schema and say nothing.
 */
export const github: Format = {
  name: 'github',
  hidesRefused: false,
  isBinary: isForm,
  toJson: payloadOf,
  check(headers) {
    if (!isForm(headers)) layoutOf(headers, [], `application/json or ${FORM_TYPE}`)
  },
  time: () => undefined,
  async read(intake, { headers }) {
    const kind = headers['x-github-event']
    const shape: Shape = (value) => {
      if (!(value instanceof JsonObject)) return value
      const pieces = [at(value, 'repository', 'full_name'), at(value, 'sender', 'login'), at(value, 'action')].map(text)
      // Some kinds of event, such as a push, have no action; their kind says what happened.
      if (pieces[2] === '' && typeof kind === 'string') pieces[2] = kind
      const event = new JsonObject().add('message', pieces.join(' | ')).add('metadata', withoutUrls(value))
      return typeof kind === 'string' ? event.add('github_event', kind) : event
    }
    return readJsonBody(intake, { unwrapsBatch: false, element: shape, single: shape, line: shape })
  },
}

function withoutUrls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutUrls)
  if (!(value instanceof JsonObject)) return value
  const kept = new JsonObject()
  for (let i = 0; i < value.size; i++) {
    if (!value.names[i]!.endsWith('_url')) kept.add(value.names[i]!, withoutUrls(value.values[i]!))
  }
  return kept
}
