/**
 * Acknowledgements of Splunk's collector. A request that names a channel gets a number; the sender asks later whether
 * what it sent under the number is stored.
 *
 * Promises: a number is given only when its events are durable, so the truth about every number given is yes, and all
 * that is kept of a channel is how many it has. Refuses: nothing; a channel that was forgotten, because too many others
 * were used since, knows no number, and its sender sends again.
 */
import type { Access } from '../../access/access.ts'
import type { Buffers } from '../../base/buffers.ts'
import { Fault } from '../../base/faults.ts'
import { isUuid } from '../../base/ids.ts'
import type { LaneRequest, LaneResponse } from '../lane.ts'
import { plainBody, readBody } from './body.ts'
import { type Asked, one, sendJson } from './protocols/protocol.ts'

export type Acks = {
  /** The next number of a channel. */
  next(channel: string): number
  isGiven(channel: string, number: number): boolean
}

const MAX_CHANNELS = 10_000
const MAX_ASKED = 100_000
const MAX_BODY_BYTES = 1_000_000

const PATHS = ['/services/collector/ack', '/services/collector/ack/1.0']

export function createAcks(): Acks {
  /** Least recently used first. */
  const given = new Map<string, number>()
  return {
    next(channel) {
      const number = given.get(channel) ?? 0
      given.delete(channel)
      given.set(channel, number + 1)
      const [oldest] = given.keys()
      if (given.size > MAX_CHANNELS && oldest !== undefined) given.delete(oldest)
      return number
    },
    isGiven: (channel, number) => number >= 0 && number < (given.get(channel) ?? 0),
  }
}

/** The channel of a request, or nothing: in a header or the query. */
export function channelOf({ headers, query }: Pick<Asked, 'headers' | 'query'>): string {
  return (one(headers['x-splunk-request-channel']) || one(query.channel)).toLowerCase()
}

export const isAckPath = (path: string): boolean => PATHS.includes(path.endsWith('/') ? path.slice(0, -1) : path)

type Parts = { access: Access; buffers: Buffers; acks: Acks; token(asked: Asked): string | null }

export async function answerAcks(
  request: LaneRequest,
  response: LaneResponse,
  asked: Asked,
  { access, buffers, acks, token }: Parts,
): Promise<void> {
  await access.identify(token(asked) || access.present(asked.headers, asked.query))
  const channel = channelOf(asked)
  if (channel === '') return sendJson(response, 400, { text: 'Data channel is missing', code: 10 })
  if (!isUuid(channel)) return sendJson(response, 400, { text: 'Invalid data channel', code: 11 })
  const announced = request.headers['content-length']
  if (Number(announced ?? 0) > MAX_BODY_BYTES) throw new Fault('too_large', 'The body is over 1 MB. Ask for fewer.')
  const wire = 'body' in request ? plainBody(request.body) : await readBody(announced, request, buffers)
  try {
    const numbers = readNumbers(wire?.bytes.toString('utf8') ?? '')
    const answers = numbers.map((number) => [number, acks.isGiven(channel, number)])
    sendJson(response, 200, { acks: Object.fromEntries(answers) })
  } finally {
    wire?.release()
  }
}

function readNumbers(text: string): number[] {
  const asked = parsed(text)
  const list: unknown = typeof asked === 'object' && asked !== null && 'acks' in asked ? asked.acks : null
  const isRight = Array.isArray(list) && list.length <= MAX_ASKED && list.every((each) => Number.isSafeInteger(each))
  if (!isRight) throw new Fault('bad_request', 'Ask with {"acks":[0,1,…]}.')
  return list
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
