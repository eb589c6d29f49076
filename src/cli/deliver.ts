/**
 * Sends batches of events. Promises: a batch that the service cannot take now (busy, restarting, away) is sent again
 * after a wait that doubles, or that the service named. Events that the service refuses are told of and passed over.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Api } from './api.ts'
import { recordOf, refusal } from './api.ts'
import { Failure } from './failure.ts'

export type Outcome = { refused: string[] }

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

type Parts = {
  api: Api
  source: string
  retries: number
  signal: AbortSignal
  onRetry(reason: string, waitMs: number): void
}

/** Takes events as JSON texts. */
export function createDeliver({
  api,
  source,
  retries,
  signal,
  onRetry,
}: Parts): (events: string[]) => Promise<Outcome> {
  async function once(body: string): Promise<Outcome | { again: Failure; afterMs: number | null }> {
    let answer: Response
    try {
      answer = await api.fetch(`/api/logs?source=${source}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body,
      })
    } catch (error) {
      if (error instanceof Failure && error.exitCode === 3) return { again: error, afterMs: null }
      throw error
    }
    if (answer.ok) {
      await answer.arrayBuffer()
      return { refused: [] }
    }
    if (answer.status === 406) {
      const { message } = recordOf(await answer.json())
      return { refused: Array.isArray(message) ? message.map(String) : [String(message)] }
    }
    const failure = await refusal(answer, true)
    if (answer.status !== 429 && answer.status < 500) throw failure
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
    return { again: failure, afterMs: Number.isFinite(seconds) ? seconds * 1000 : null }
  }

  return async function deliver(events) {
    const body = `${events.join('\n')}\n`
    let waitMs = FIRST_WAIT_MS
    for (let tried = 0; ; tried += 1) {
      const outcome = await once(body)
      if ('refused' in outcome) return outcome
      if (tried >= retries) throw outcome.again
      const pauseMs = Math.min(LONGEST_WAIT_MS, outcome.afterMs ?? waitMs)
      onRetry(outcome.again.message, pauseMs)
      await wait(pauseMs, undefined, { signal })
      waitMs *= 2
    }
  }
}
