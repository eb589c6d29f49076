import { Fault } from '../../../base/faults.ts'
import type { JsonValue } from '../../json/value.ts'
import { MAX_COPIED_BYTES } from '../../limits.ts'
import type { Group } from './signal.ts'

/** Every record is stored with its resource and scope, so a large one with many records would fill the memory. */
export class SharedBytes {
  #each = 0
  #sum = 0

  enter({ resource, scope }: Group): void {
    this.#each = sizeOf(resource) + sizeOf(scope)
  }

  count(): void {
    this.#sum += this.#each
    if (this.#sum > MAX_COPIED_BYTES)
      throw new Fault(
        'too_large',
        'Resources and scopes, repeated for each record, are over 300 MB. Send smaller batches.',
      )
  }
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return 8
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0)
  if (!('names' in value)) return 8
  return value.names.reduce((sum, name, i) => sum + name.length + 4 + sizeOf(value.values[i]!), 0)
}
