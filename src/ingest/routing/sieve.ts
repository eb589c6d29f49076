import type { FilterSet } from '../../lql/lql.ts'
import type { JsonObject } from '../json/value.ts'
import type { Scan } from '../scan/scan.ts'
import type { SourceFields } from '../schema/source-fields.ts'
import type { IngestSource } from '../source.ts'
import { Look } from './look.ts'

/**
 * The drop filter and the rules of one source, for one event at a time: show it the event (`seeScanned` or `seeStored`),
 * then ask. Nothing is built per event but the values that filters look at.
 */
export class Sieve {
  readonly targets: readonly IngestSource[]
  /** Whether some filter asks for the id, which an event without one only gets when its row is written. */
  readonly asksForId: boolean
  readonly #filters: FilterSet
  readonly #looks: Look[]
  readonly #values: unknown[]
  readonly #hits: number[] = []
  #fields: SourceFields | null = null
  #version = -1

  /** The filters of the targets, in their order, and then the drop filter. */
  constructor(filters: FilterSet, targets: readonly IngestSource[]) {
    this.#filters = filters
    this.targets = targets
    this.#looks = filters.paths.map((path) => new Look(path))
    this.asksForId = this.#looks.some(({ what }) => what === 'id')
    this.#values = filters.paths.map(() => undefined)
  }

  /** An event that came through the scan; its bytes are what is stored. */
  seeScanned(bytes: Buffer, scan: Scan, fields: SourceFields, timestampUs: number): void {
    if (fields !== this.#fields || fields.version !== this.#version) {
      this.#fields = fields
      this.#version = fields.version
      for (const look of this.#looks) look.settle(fields)
    }
    const values = this.#values
    for (let i = 0; i < values.length; i++) values[i] = this.#looks[i]!.inBytes(bytes, scan, timestampUs)
    this.#filters.match(values, this.#hits)
  }

  /** An event as it came out of the pipeline, fitted to its source. */
  seeStored(event: JsonObject, id: string, timestampUs: number): void {
    const values = this.#values
    for (let i = 0; i < values.length; i++) values[i] = this.#looks[i]!.inEvent(event, id, timestampUs)
    this.#filters.match(values, this.#hits)
  }

  get isDropped(): boolean {
    return this.#hits.includes(this.targets.length)
  }

  /** The targets that get a copy. */
  get hitTargets(): readonly number[] {
    return this.#hits
  }
}
