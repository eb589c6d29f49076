/**
 * The part that all types spoken over HTTP share: one POST a batch, and what its answer means. HTTP/1.1 over kept
 * connections; redirects are not followed, as they could lead where the owner of the backend did not mean to send.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { assertAllowed, guardedLookup } from './address.ts'
import { type Batch, failed, type Outcome, type Probe, type Receiver, type Surroundings } from './kind.ts'
import { explain, needsHelp } from './reason.ts'

const gzipped = promisify(gzip)
/** Measured on log events: level 1 takes a third of the CPU of the default and sends a fifth more bytes. */
const compress = (text: Buffer): Promise<Buffer> => gzipped(text, { level: 1 })

/** Kept of an answer, for the reason. */
const ANSWER_BYTES = 300
const RETRY_AFTER_MAX_MS = 10 * 60_000

export type Post = { url: string; headers: Record<string, string>; gzip: boolean }

type Parts = Post & {
  /** Sets `content-type` where it is not JSON. */
  contentType?: string
  encode(batch: Batch): string | Buffer
  /** What an answer means, where its status does not say all. */
  outcome?: (answer: Answer, batch: Batch) => Outcome
  /** A body without events that the receiver takes when all is well. */
  probeBody: string | Buffer
}

/** `bytes` is the beginning of the body, `text` a shorter one to show. */
export type Answer = {
  status: number
  retryAfter: string | undefined
  contentType: string
  bytes: Buffer
  text: string
}

export function createHttpReceiver(parts: Parts, { timeoutMs, lookup = guardedLookup }: Surroundings): Receiver {
  const { encode, probeBody, contentType = 'application/json', outcome = outcomeOf } = parts
  const url = new URL(parts.url)
  const isTls = url.protocol === 'https:'
  const options = { keepAlive: true, maxFreeSockets: 4, maxSockets: 16, lookup }
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options)
  const own = { 'content-type': contentType, ...(parts.gzip ? { 'content-encoding': 'gzip' } : {}) }
  const { host: _host, 'content-length': _length, 'transfer-encoding': _transfer, ...given } = parts.headers
  const headers = { ...given, ...own }

  async function post(text: string | Buffer): Promise<Answer> {
    assertAllowed(url.hostname)
    const plain = typeof text === 'string' ? Buffer.from(text) : text
    const body = parts.gzip ? await compress(plain) : plain
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs)
      const call = (isTls ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent,
        signal,
        headers: { ...headers, 'content-length': body.length },
      })
      call.once('error', reject)
      call.once('response', (response) => readAnswer(response).then(resolve, reject))
      call.end(body)
    })
  }

  return {
    async send(batch) {
      let text: string | Buffer
      try {
        text = encode(batch)
      } catch (error) {
        return { kind: 'refused', reason: `cannot be written for this receiver: ${String(error)}` }
      }
      try {
        return outcome(await post(text), batch)
      } catch (error) {
        return failed(reasonOf(error, timeoutMs), needsHelp(error))
      }
    },
    async probe() {
      try {
        return probeOf(await post(probeBody))
      } catch (error) {
        return { ok: false, reason: 'unknown_error', message: reasonOf(error, timeoutMs) }
      }
    },
    stop: () => agent.destroy(),
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    // Read to the end, so that the connection can be used again.
    if (bytes < ANSWER_BYTES) kept.push(chunk)
    bytes += chunk.length
  }
  const start = Buffer.concat(kept)
  const text = start
    .toString('utf8')
    .slice(0, ANSWER_BYTES)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const { 'retry-after': retryAfter, 'content-type': contentType = '' } = response.headers
  return { status: response.statusCode ?? 0, retryAfter, contentType, bytes: start, text }
}

/** Refusals that follow from who asks and where, not from what was sent: right settings make them go away. */
const NEED_HELP = new Set([401, 402, 403, 404, 405, 407, 410, 451])
const LATER = new Set([408, 421, 425, 429])

export function outcomeOf({ status, retryAfter, text }: Pick<Answer, 'status' | 'retryAfter' | 'text'>): Outcome {
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const reason = wordsOf(status, text)
  if (status >= 400 && status < 500 && !NEED_HELP.has(status) && !LATER.has(status)) return { kind: 'refused', reason }
  return failed(reason, status < 500 && !LATER.has(status), retryAfterMs(retryAfter))
}

/** Seconds or a date; null when there is none or it makes no sense. */
export function retryAfterMs(header: string | undefined, nowMs = Date.now()): number | null {
  if (header === undefined) return null
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

function probeOf({ status, text }: Answer): Probe {
  if (status >= 200 && status < 300) return { ok: true }
  const message = wordsOf(status, text)
  if (status >= 400 && status < 500) return { ok: false, reason: 'http_client_error', message }
  return { ok: false, reason: status >= 500 ? 'http_server_error' : 'http_unknown_error', message }
}

function wordsOf(status: number, text: string): string {
  const words = `HTTP ${status}${text ? `: ${text}` : ''}`
  return status >= 300 && status < 400 ? `${words} (redirects are not followed)` : words
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const isTimeout = error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
  return isTimeout ? `no answer within ${timeoutMs} ms` : explain(error)
}
