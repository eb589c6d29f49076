import { Fault } from '../base/faults.ts'

type Problem = { position: number; found: string; expected: string; suggestion?: string | null }

/** A text that is no query. The message is whole without the other parts; they serve editors. */
export class LqlError extends Fault {
  /** 0-based offset in the text as sent. */
  readonly position: number
  readonly found: string
  readonly expected: string
  readonly suggestion: string | null

  constructor(message: string, { position, found, expected, suggestion = null }: Problem) {
    super('bad_request', message)
    this.name = 'LqlError'
    this.position = position
    this.found = found
    this.expected = expected
    this.suggestion = suggestion
  }

  override get details(): Record<string, unknown> {
    const { position, found, expected, suggestion } = this
    return { position, found, expected, suggestion }
  }
}
