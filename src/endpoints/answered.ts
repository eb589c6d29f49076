import type { Rows } from '../query/answer.ts'
import { redactJson } from './redaction.ts'

/** An answer as it is kept: the finished body, in both forms once somebody asked for the second. */
export type Answered = {
  readonly rows: number
  /** Which labels its definition allows. */
  readonly labels: string | null
  readonly columns: Rows['cost']['columns']
  /** `{"result":[…]}`. Short ones are text: it leaves in one piece with the head of the answer. */
  body(redact: boolean): string | Buffer
  /** The list alone. */
  list(redact: boolean): Buffer
}

const SHORT_BYTES = 16_384
const OPEN = '{"result":'
const CLOSE = '}'

export function answered({ json, cost: { rows, columns } }: Rows, labels: string | null): Answered {
  const isShort = json.length <= SHORT_BYTES
  const whole = (list: string | Buffer): string | Buffer =>
    isShort ? `${OPEN}${list}${CLOSE}` : Buffer.concat([Buffer.from(OPEN), Buffer.from(list), Buffer.from(CLOSE)])
  const plain = whole(json)
  let redacted: string | Buffer | null = null
  const body = (redact: boolean): string | Buffer => {
    if (!redact) return plain
    redacted ??= whole(redactJson(plain.toString().slice(OPEN.length, -CLOSE.length)))
    return redacted
  }
  return {
    rows,
    labels,
    columns,
    body,
    list: (redact) => Buffer.from(body(redact)).subarray(OPEN.length, -CLOSE.length),
  }
}
