import { useEffect, useState } from 'react'

const TICK_MS = 100
/** A search that is done before this needs no clock. */
const SHOWN_AFTER_MS = 300

/** How long something has been running, while it runs. */
export function Elapsed() {
  const [startedAt] = useState(() => performance.now())
  const [now, setNow] = useState(startedAt)
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  if (now - startedAt < SHOWN_AFTER_MS) return <span>Searching …</span>
  return <span className="tabular-nums">Searching … {((now - startedAt) / 1000).toFixed(1)} s</span>
}
