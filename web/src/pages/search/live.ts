/** Events of a live tail: shown at once, or held back while somebody reads. Both lists are bounded. */
import { useEffect, useRef, useState } from 'react'
import type { LogEvent } from '../../api/records.ts'
import { type TailState, useTail } from '../../api/tail.ts'

export const LIVE_MAX = 5_000
/** Many events may come in one frame of the screen; they are shown together. */
const TOGETHER_MS = 150

export type Live = {
  /** Newest first. */
  shown: readonly LogEvent[]
  /** In the order in which they came. */
  held: readonly LogEvent[]
  /** Never to be shown: skipped by the service, or more than can be held. */
  missed: number
  /** Nodes of the service that do not answer: their events come when they do. */
  lost: readonly string[]
}

export const NOTHING_LIVE: Live = { shown: [], held: [], missed: 0, lost: [] }

/** What came is held while `isHeld`; beyond the bound the oldest is let go and counted. */
export function take(live: Live, arrived: readonly LogEvent[], isHeld: boolean): Live {
  if (!isHeld) return { ...live, shown: merge(live.shown, [...live.held, ...arrived]), held: [] }
  const held = [...live.held, ...arrived]
  return { ...live, held: held.slice(-LIVE_MAX), missed: live.missed + Math.max(0, held.length - LIVE_MAX) }
}

/** Late ones go where they belong in time. Those that leave at the end are still found by a search. */
function merge(shown: readonly LogEvent[], arrived: readonly LogEvent[]): LogEvent[] {
  return [...arrived.toReversed(), ...shown]
    .sort((a, b) => Number(b.timestamp) - Number(a.timestamp))
    .slice(0, LIVE_MAX)
}

type Options = { token: string; lql: string; isOn: boolean; isHeld: boolean }

export function useLive({ token, lql, isOn, isHeld }: Options): Live & { state: TailState; startAgain(): void } {
  const [live, setLive] = useState<Live>(NOTHING_LIVE)
  const [isResting, setResting] = useState(false)
  const arrived = useRef<LogEvent[]>([])
  const held = useRef(isHeld)
  held.current = isHeld

  const state = useTail({
    token,
    lql,
    isOn: isOn && !isResting,
    onEvent: (event) => arrived.current.push(event),
    onNode: (node, isLost) =>
      setLive((before) => {
        const others = before.lost.filter((one) => one !== node)
        return { ...before, lost: isLost ? [...others, node] : others }
      }),
    onMissed: (count) => setLive((before) => ({ ...before, missed: before.missed + (count ?? 1) })),
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: another search begins with nothing
  useEffect(() => {
    arrived.current = []
    setLive(NOTHING_LIVE)
  }, [token, lql, isOn])

  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => {
      if (arrived.current.length === 0) return
      const events = arrived.current
      arrived.current = []
      setLive((before) => take(before, events, held.current))
    }, TOGETHER_MS)
    return () => clearInterval(timer)
  }, [isOn])

  useEffect(() => {
    if (!isHeld) setLive((before) => (before.held.length === 0 ? before : take(before, [], false)))
  }, [isHeld])

  useEffect(() => {
    if (isResting) setResting(false)
  }, [isResting])

  return { ...live, state, startAgain: () => setResting(true) }
}
