import type { FlatFields } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import type { Rates } from '../rates.ts'
import { SourceFields } from './source-fields.ts'

/**
 * The adaptive schemas of all sources this process takes events for.
 *
 * A new field is stored with the first event that has it, always. Sampling only decides how soon it is shown: at
 * once, or when its rows are loaded. At high rates that keeps the cost of telling everyone near once a second.
 */
export type Schemas = ReturnType<typeof createSchemas>

export function createSchemas({ rates, random = Math.random }: { rates: Rates; random?: () => number }) {
  const sources = new Map<string, SourceFields>()

  /** `initial` counts only the first time: later the tree in memory is the newer one. */
  function of(source: string, initial: FlatFields = {}): SourceFields {
    let fields = sources.get(source)
    if (!fields) {
      fields = new SourceFields(initial)
      sources.set(source, fields)
    }
    return fields
  }

  return {
    of,
    isSampled: (source: string): boolean => random() < sampleProbability(rates.of(source).average()),
    /** What users see. */
    flat: (source: string): FlatFields => of(source).visible(),
    /** What rows may use. */
    all: (source: string): FlatFields => of(source).all(),
    /** What queries may use. */
    journaled: (source: string): FlatFields => of(source).journaled(),
    confirmed: (source: string, fields: FlatFields, end: Position): void => of(source).confirmed(fields, end),
    publish: (source: string, loaded: Position): void => of(source).publish(loaded),
    /** Whether the source still has these fields: not once it was deleted. */
    isCurrent: (source: string, fields: SourceFields): boolean => sources.get(source) === fields,
    forget: (source: string): void => {
      sources.delete(source)
    },
  }
}

/** About one look per second: 1 / average rate, never below 0.00001. */
export function sampleProbability(averagePerSecond: number): number {
  return averagePerSecond <= 0 ? 1 : Math.min(1, Math.max(0.00001, 1 / averagePerSecond))
}
