/** One query at a time: running, its rows or its refusal, and a way to stop it. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useApi } from '../../api/client.tsx'
import type { Answer } from '../../api/records.ts'
import type { Problem } from '../../api/request.ts'

export type Asked = { sql: string; engine: string }

export type Run =
  | { state: 'idle' }
  | { state: 'running'; asked: Asked; sinceMs: number }
  | { state: 'done'; asked: Asked; answer: Answer; tookMs: number }
  | { state: 'failed'; asked: Asked; problem: Problem }
  | { state: 'cancelled' }

export type Ended = Extract<Run, { state: 'done' | 'failed' }>

export const bodyOf = ({ sql, engine }: Asked): Record<string, string> => ({
  sql,
  ...(engine === '' ? {} : { backend_id: engine }),
})

export function useRun(onEnd: (run: Ended) => void) {
  const api = useApi()
  const [run, setRun] = useState<Run>({ state: 'idle' })
  const current = useRef<AbortController | null>(null)
  const ended = useRef(onEnd)
  ended.current = onEnd
  useEffect(() => () => current.current?.abort(), [])

  const start = useCallback(
    async (asked: Asked): Promise<void> => {
      current.current?.abort()
      const own = new AbortController()
      current.current = own
      const sinceMs = performance.now()
      setRun({ state: 'running', asked, sinceMs })
      try {
        const outcome = await api.request<Answer>('POST', '/api/query', { body: bodyOf(asked), signal: own.signal })
        if (own.signal.aborted) return
        const end: Ended = outcome.ok
          ? { state: 'done', asked, answer: outcome.value, tookMs: performance.now() - sinceMs }
          : { state: 'failed', asked, problem: outcome.problem }
        setRun(end)
        ended.current(end)
      } catch (error) {
        if (!own.signal.aborted) throw error
      }
    },
    [api],
  )

  /** The service notices that nobody waits any more, and stops the query. */
  const cancel = useCallback(() => {
    current.current?.abort()
    setRun({ state: 'cancelled' })
  }, [])

  return { run, start, cancel }
}
