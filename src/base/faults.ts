/**
 * A fault is what stops the work: it carries a code, words a caller can act on, and notes for the operator.
 * What the product defines as an outcome (kept, refused, not found in a look-up) is a return value, not a fault.
 * Only `http` turns codes into status numbers.
 */
export type FaultCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'unsupported_type'
  | 'invalid'
  | 'over_quota'
  | 'busy'
  | 'unavailable'
  | 'query_failed'
  | 'setup'

export class Fault extends Error {
  readonly code: FaultCode
  /** For the operator's log, never sent to the caller. */
  readonly notes: unknown

  constructor(code: FaultCode, message: string, notes?: unknown) {
    super(message)
    this.name = 'Fault'
    this.code = code
    this.notes = notes
  }

  /** What a caller gets beside the words, for programs to act on. */
  get details(): Record<string, unknown> {
    return {}
  }
}

/** Asked too often: the caller is told when to come back. */
export class TooOften extends Fault {
  readonly retryAfterS: number

  constructor(message: string, retryAfterS: number) {
    super('over_quota', message)
    this.name = 'TooOften'
    this.retryAfterS = retryAfterS
  }
}

/** A record that does not hold: messages by field name. */
export class InvalidRecord extends Fault {
  readonly errors: Record<string, string[]>
  readonly #details: Record<string, unknown>

  constructor(errors: Record<string, string[]>, details: Record<string, unknown> = {}) {
    super(
      'invalid',
      Object.entries(errors)
        .map(([field, texts]) => `${field} ${texts.join(', ')}`)
        .join('; '),
    )
    this.name = 'InvalidRecord'
    this.errors = errors
    this.#details = details
  }

  override get details(): Record<string, unknown> {
    return this.#details
  }
}
