import type { Intake } from '../intake.ts'
import type { IngestSource } from '../source.ts'

/** Fields by which a body may name its source, the first that is there; `collection` is the older word. */
export const NAMING_FIELDS = ['source_name', 'collection_name', 'source', 'collection'] as const

export type NamingField = (typeof NAMING_FIELDS)[number]

/** One request: whom it is for, how it is written, and its body, unpacked and, unless it is binary, valid UTF-8. */
export type Delivery = {
  source: IngestSource
  format: Format
  body: Buffer
  /** Lower-case names, as Node gives them. */
  headers: Headers
  /** The field of the body that named the source, when nothing else did; it is not stored. */
  sourceField?: NamingField | undefined
  /** Takes only the events that the body addresses by this name; see `split`. */
  part?: string | undefined
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * A way to write events in a request. Each format is a folder that knows where the events of its bodies stand and
 * what they look like; what becomes of an event is the same for all.
 */
export type Format = {
  readonly name: string
  /** Senders that repeat everything on any answer but 200 are not told of refused events; those are only recorded. */
  readonly hidesRefused: boolean
  /** Whether a body without events, such as the first try of a push service, is a success. */
  readonly takesEmpty?: boolean
  /** Whether a body without a byte is still to be read, because headers may hold an event. */
  readonly readsEmpty?: boolean
  /** Whether a `source` at the top of the body is the event's own, and no address. */
  hasOwnSource?(headers: Headers): boolean
  /** Whether the body is no text. */
  isBinary?(headers: Headers): boolean
  /** A binary body as the JSON that could have been sent instead. Throws a fault when it cannot be read. */
  toJson?(body: Buffer): Buffer
  /** How the body is packed, where the header does not say all of it. */
  packing?(headers: Headers): string | undefined
  /** Throws a fault when the request as a whole cannot be taken. */
  check(headers: Headers): void
  /** A time that the request gives all its events. */
  time(headers: Headers): string | undefined
  read(intake: Intake, delivery: Delivery): Promise<void>
  /**
   * The names by which a body itself says where its events belong (an index, a label), each one once; an empty text
   * stands for events that say nothing. Throws a fault when the body cannot be read.
   */
  split?(body: Buffer, headers: Headers): string[]
  /** A refused event of a binary body in a form that people can read. */
  show?(body: Buffer, from: number, to: number): string
}
