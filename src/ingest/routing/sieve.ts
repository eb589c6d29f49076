import type { FilterSet, PathValues } from '../../lql/lql.ts'
import type { JsonObject } from '../json/value.ts'
import type { Scan } from '../scan/scan.ts'
import type { SourceFields } from '../schema/source-fields.ts'
import type { IngestSource } from '../source.ts'
import { Look } from './look.ts'

/**
 * The drop filter and the rules of one source, for one event at a time: show it the event (`seeScanned` or `seeStored`),
 * then ask. Nothing is built per event but the values that filters come to look at.
 */
export class Sieve {
  readonly targets: readonly IngestSource[]
  /** Whether some filter asks for the id, which an event without one only gets when its row is written. */
  readonly asksForId: boolean
  readonly #filters: FilterSet
  readonly #looks: Look[]
  readonly #sight: Sight
  readonly #hits: number[] = []
  #fields: SourceFields | null = null
  #version = -1

  /** The filters of the targets, in their order, and then the drop filter. */
  constructor(filters: FilterSet, targets: readonly IngestSource[]) {
    this.#filters = filters
    this.targets = targets
    this.#looks = filters.paths.map(({ path, texts }) => new Look(path, texts))
    this.#sight = new Sight(this.#looks)
    this.asksForId = this.#looks.some(({ what }) => what === 'id')
  }

  /** An event that came through the scan; its bytes are what is stored. */
  seeScanned(bytes: Buffer, scan: Scan, fields: SourceFields, timestampUs: number): void {
    if (fields !== this.#fields || fields.version !== this.#version) {
      this.#fields = fields
      this.#version = fields.version
      for (const look of this.#looks) look.settle(fields)
    }
    this.#sight.scanned(bytes, scan, timestampUs)
    this.#filters.match(this.#sight, this.#hits)
  }

  /** An event as it came out of the pipeline, fitted to its source. */
  seeStored(event: JsonObject, id: string, timestampUs: number): void {
    this.#sight.stored(event, id, timestampUs)
    this.#filters.match(this.#sight, this.#hits)
  }

  get isDropped(): boolean {
    return this.#hits.includes(this.targets.length)
  }

  /** The targets that get a copy, of an event that is not dropped. */
  get hitTargets(): readonly number[] {
    return this.#hits
  }
}

/** The event before the eyes, with what was read of it. */
class Sight implements PathValues {
  readonly #looks: readonly Look[]
  readonly #values: unknown[]
  readonly #readIn: Float64Array
  #round = 0
  #bytes: Buffer | null = null
  #scan: Scan | null = null
  #event: JsonObject | null = null
  #id = ''
  #timestampUs = 0

  constructor(looks: readonly Look[]) {
    this.#looks = looks
    this.#values = looks.map(() => undefined)
    this.#readIn = new Float64Array(looks.length)
  }

  scanned(bytes: Buffer, scan: Scan, timestampUs: number): void {
    this.#round++
    this.#bytes = bytes
    this.#scan = scan
    this.#event = null
    this.#timestampUs = timestampUs
  }

  stored(event: JsonObject, id: string, timestampUs: number): void {
    this.#round++
    this.#event = event
    this.#id = id
    this.#timestampUs = timestampUs
  }

  at(path: number): unknown {
    if (this.#readIn[path] !== this.#round) {
      this.#readIn[path] = this.#round
      this.#values[path] = this.#read(this.#looks[path]!)
    }
    return this.#values[path]
  }

  #read(look: Look): unknown {
    if (this.#event !== null) return look.inEvent(this.#event, this.#id, this.#timestampUs)
    return look.inBytes(this.#bytes!, this.#scan!, this.#timestampUs)
  }
}
