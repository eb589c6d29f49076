import { Fault } from '../../../base/faults.ts'
import type { Shape } from '../../intake.ts'
import { JsonObject } from '../../json/value.ts'
import { readJsonBody } from '../bodies.ts'
import type { Format, Headers } from '../format.ts'
import { layoutOf } from '../media.ts'

const PREFIX = 'ce-'

/**
 * CloudEvents 1.0 in binary mode: the attributes are headers, the data is the body, an object or a list of them.
 * Every `ce-` header is kept in the object `cloud_event`; `ce-time` is the event's time when it is usable.
 */
export const cloudEvent: Format = {
  name: 'cloud-event',
  hidesRefused: false,
  check(headers) {
    if (layoutOf(headers) !== 'json') throw new Fault('unsupported_type', 'A cloud event is sent as application/json.')
    const version = text(headers['ce-specversion'])
    if (!/^1\.0(\.\d+)?$/.test(version)) {
      const found =
        version === '' ? 'The header CE-specversion is missing' : `CE-specversion ${version} is not supported`
      throw new Fault('bad_request', `${found}. Send 1.0.2.`)
    }
  },
  time: (headers) => text(headers['ce-time']) || undefined,
  async read(intake, { headers, sourceField }) {
    const shape: Shape = (value) => {
      if (!(value instanceof JsonObject)) return value
      const event = new JsonObject().add('cloud_event', attributesOf(headers))
      for (let i = 0; i < value.size; i++) {
        if (value.names[i] !== sourceField) event.add(value.names[i]!, value.values[i]!)
      }
      return event
    }
    return readJsonBody(intake, { unwrapsBatch: false, element: shape, single: shape, line: shape })
  },
}

function attributesOf(headers: Headers): JsonObject {
  const attributes = new JsonObject()
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX)) attributes.add(name.slice(PREFIX.length).replaceAll('-', '_'), text(value))
  }
  return attributes
}

/** Node reads headers as Latin-1, senders mean UTF-8. */
function text(header: string | string[] | undefined): string {
  const joined = Array.isArray(header) ? header.join(', ') : (header ?? '')
  return Buffer.from(joined, 'latin1').toString('utf8')
}
