import type { Rows } from '../query/answer.ts'
import { redactJson } from './redaction.ts'

/** An answer as it is kept: the finished body, in both forms once somebody asked for the second. */
export type Answered = {
  readonly rows: number
  readonly columns: Rows['cost']['columns']
  /** `{"result":[…]}` */
  body(redact: boolean): Buffer
  /** The list alone. */
  list(redact: boolean): Buffer
}

const OPEN = Buffer.from('{"result":')
const CLOSE = Buffer.from('}')

export function answered({ json, cost: { rows, columns } }: Rows): Answered {
  const plain = Buffer.concat([OPEN, json, CLOSE])
  let redacted: Buffer | null = null
  const body = (redact: boolean): Buffer => {
    if (!redact) return plain
    redacted ??= Buffer.from(redactJson(plain.toString('utf8')))
    return redacted
  }
  return { rows, columns, body, list: (redact) => body(redact).subarray(OPEN.length, -CLOSE.length) }
}
