import { Fault } from '../../base/faults.ts'
import type { JsonValue } from '../json/value.ts'
import { MAX_COPIED_BYTES } from '../limits.ts'

/** Every event is stored with what its group shares, so a large group with much to share would fill the memory. */
export class SharedBytes {
  readonly #what: string
  #each = 0
  #sum = 0

  /** What is shared, as senders call it. */
  constructor(what: string) {
    this.#what = what
  }

  enter(...shared: JsonValue[]): void {
    this.#each = shared.reduce((sum: number, one) => sum + sizeOf(one), 0)
  }

  count(): void {
    this.#sum += this.#each
    if (this.#sum > MAX_COPIED_BYTES)
      throw new Fault('too_large', `${this.#what}, repeated for each event, are over 300 MB. Send smaller batches.`)
  }
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return 8
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0)
  if (!('names' in value)) return 8
  return value.names.reduce((sum, name, i) => sum + name.length + 4 + sizeOf(value.values[i]!), 0)
}
