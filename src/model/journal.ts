/**
 * The words of the journal that its writers and readers share.
 * A position is a byte offset counted from the very first journal byte; it only grows.
 */
export type Position = number

/** `events`: NDJSON rows of one source. `fields`: the flat fields (JSON) that the source's later rows may use. */
export type FrameKind = 'events' | 'fields'

export type Frame = {
  kind: FrameKind
  /** Source token (UUID text). */
  source: string
  /** Number of rows in the body; 0 for `fields`. */
  count: number
  /** Smallest and largest event timestamp in microseconds; 0 for `fields`. */
  minUs: number
  maxUs: number
  body: Uint8Array
}
