import { copyOf, JsonObject } from '../../json/value.ts'
import { at } from '../values.ts'
import { addIf } from './attributes.ts'
import type { Group } from './signal.ts'

/** What spans and data points have in common: where they come from, and what they are. */
export function finish(event: JsonObject, type: string, { resource, scope }: Group): JsonObject {
  addIf(event, 'project', at(resource, 'service.name'))
  // Shared by the group, and later steps may change what they get.
  event.add('scope', copyOf(scope)).add('resource', copyOf(resource))
  return event.add('metadata', new JsonObject().add('type', type))
}
