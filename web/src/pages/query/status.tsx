/** One line about the run: how long it goes on, or what it gave and cost. */
import { useEffect, useState } from 'react'
import { bytes, count, exactCount } from '../../design/numbers.ts'
import type { Run } from './run.ts'

/** More rows than this are not answered. */
export const ROWS_MAX = 1000
const TICK_MS = 100

export function Status({ run }: { run: Run }) {
  return (
    <span role="status" className="text-small text-soft tabular-nums">
      {run.state === 'running' && <Elapsed sinceMs={run.sinceMs} />}
      {run.state === 'cancelled' && 'Cancelled'}
      {run.state === 'done' && (
        <>
          <span title={exactCount(run.answer.rows)}>
            {count(run.answer.rows)} {run.answer.rows === 1 ? 'row' : 'rows'}
          </span>
          {run.answer.rows >= ROWS_MAX && <span className="text-warn"> (the most that is shown)</span>}
          {` · ${bytes(run.answer.bytes_scanned)} read · ${count(run.answer.ms)} ms`}
        </>
      )}
    </span>
  )
}

function Elapsed({ sinceMs }: { sinceMs: number }) {
  const [nowMs, setNowMs] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(performance.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <>Running, {(Math.max(0, nowMs - sinceMs) / 1000).toFixed(1)} s</>
}
