import type { Shape } from '../../intake.ts'
import { JsonObject } from '../../json/value.ts'
import { readJsonBody } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'

/**
 * JSON of any shape, such as browser reports: each object is kept whole as the message and its fields under
 * `metadata`, so that none of its names can be mistaken for a standard field.
 */
export const json: Format = {
  name: 'json',
  hidesRefused: false,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  async read(intake) {
    const shape: Shape = (value, from, to) => {
      if (!(value instanceof JsonObject)) return value
      return new JsonObject().add('message', intake.body.toString('utf8', from, to)).add('metadata', value)
    }
    return readJsonBody(intake, { unwrapsBatch: false, element: shape, single: shape, line: shape })
  },
}
