import type { Rows } from '../query/answer.ts'
import { redactJson } from './redaction.ts'

/** Short bodies are text, which leaves in one piece with the head of the answer; plain ASCII needs no encoding. */
export type Body = { data: string | Buffer; bytes: number; encoding: 'latin1' | 'utf8' }

/** An answer as it is kept: the finished body, in both forms once somebody asked for the second. */
export type Answered = {
  readonly rows: number
  /** Which labels its definition allows. */
  readonly labels: string | null
  readonly columns: Rows['cost']['columns']
  /** `{"result":[…]}` */
  body(redact: boolean): Body
  /** The list alone. */
  list(redact: boolean): Buffer
}

const SHORT_BYTES = 16_384
const OPEN = '{"result":'
const CLOSE = '}'

export function answered({ json, cost: { rows, columns } }: Rows, labels: string | null): Answered {
  const plain = bodyOf(json)
  let redacted: Body | null = null
  const body = (redact: boolean): Body => {
    if (!redact) return plain
    redacted ??= bodyOf(Buffer.from(redactJson(listOf(plain).toString('utf8'))))
    return redacted
  }
  return { rows, labels, columns, body, list: (redact) => listOf(body(redact)) }
}

function bodyOf(list: Buffer): Body {
  const bytes = OPEN.length + list.length + CLOSE.length
  if (list.length > SHORT_BYTES)
    return { data: Buffer.concat([Buffer.from(OPEN), list, Buffer.from(CLOSE)]), bytes, encoding: 'utf8' }
  const data = `${OPEN}${list.toString('utf8')}${CLOSE}`
  return { data, bytes, encoding: data.length === bytes ? 'latin1' : 'utf8' }
}

const listOf = ({ data }: Body): Buffer => Buffer.from(data).subarray(OPEN.length, -CLOSE.length)
