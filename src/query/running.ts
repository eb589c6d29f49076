/** What runs now: every question while it is being answered, by account, and a way to end it. */
import type { Clock } from '../base/clock.ts'
import type { RunningQuery } from '../model/running-query.ts'

export type Running = ReturnType<typeof createRunning>

/** Shown of a text. */
const TEXT_CHARACTERS = 2_000

/** A question to the warehouse has a composition with a text, one to a backend is a text. */
type Watched = {
  accountId: number
  timeoutMs: number
  signal?: AbortSignal
  query?: { text?: string }
  sql?: string
}

export function createRunning({ clock }: { clock: Clock }) {
  const running = new Map<number, { question: Watched; startedMs: number; controller: AbortController }>()
  let nextId = 1

  return {
    /** The same answers, listed while they are worked on. */
    watch<Asked extends Watched, Rows>(answer: (question: Asked) => Promise<Rows>) {
      return async (question: Asked): Promise<Rows> => {
        const id = nextId
        nextId += 1
        const controller = new AbortController()
        running.set(id, { question, startedMs: clock.nowMs(), controller })
        const { signal } = question
        const ended = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
        try {
          return await answer({ ...question, signal: ended })
        } finally {
          running.delete(id)
        }
      }
    },

    /** The longest first. */
    list: (accountId: number): RunningQuery[] =>
      [...running]
        .filter(([, { question }]) => question.accountId === accountId)
        .map(([id, { question, startedMs }]) => ({
          id,
          started_at: new Date(startedMs).toISOString(),
          ms: Math.max(clock.nowMs() - startedMs, 0),
          timeout_ms: question.timeoutMs,
          text: (question.query?.text ?? question.sql)?.slice(0, TEXT_CHARACTERS) ?? null,
        })),

    /** Whether there was one to end. */
    cancel(accountId: number, id: number): boolean {
      const found = running.get(id)
      if (found?.question.accountId !== accountId) return false
      found.controller.abort()
      return true
    },
  }
}
