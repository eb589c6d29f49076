import type { JsonObject } from '../json/value.ts'

/**
 * A step changes the event in place. It comes from a factory that reads the source's settings once; the factory
 * answers null when the settings ask for nothing, so that such a source keeps its fast path.
 */
export type Step = (event: JsonObject, lookup: Lookup) => void

/** The account's key-value entries, ready in memory. Answers the stored JSON, or undefined. */
export type Lookup = (key: string) => unknown
