/** How delivery is doing, of one backend and of all. */
import type { BackendStatus } from '../../model/backend.ts'
import type { Position } from '../../model/journal.ts'
import type { Circuit } from './circuit.ts'
import type { Lane } from './lane.ts'
import type { Target } from './target.ts'

/** Backends that sources or rules send to, by their state, and how much waits for them. */
export type DeliveryHealth = {
  ok: number
  retrying: number
  stopped: number
  lagEvents: number
  lagSeconds: number
  /** The same for the homes of sources alone, and the journal space that they hold back. */
  homes: { sources: number; lagEvents: number; lagSeconds: number; heldBytes: number; lastError: string | null }
}

type Way = { target: Target; lane: Lane; isHome: boolean }

export function healthOf(ways: readonly Way[], { end, homes }: { end: Position; homes: number }): DeliveryHealth {
  const states = [...new Set(ways.map(({ target }) => target))].map(({ circuit }) => circuit.state)
  const count = (state: Circuit['state']): number => states.filter((one) => one === state).length
  const toHomes = ways.filter(({ isHome }) => isHome)
  const late = toHomes.filter(({ lane }) => lane.lag.events > 0)
  return {
    ...{ ok: count('ok'), retrying: count('retrying'), stopped: count('stopped') },
    ...lagOf(ways),
    homes: {
      sources: homes,
      ...lagOf(toHomes),
      heldBytes: Math.max(0, ...late.map(({ lane }) => end - lane.position)),
      lastError: late.map(({ target }) => target.lastError).find((error) => error !== null) ?? null,
    },
  }
}

export function statusOf(target: Target | undefined, ways: readonly Way[], deadLetters: number): BackendStatus {
  const own = ways.filter((way) => way.target === target)
  const { lagEvents, lagSeconds } = lagOf(own)
  return {
    // Without a source nothing is tried, so nothing is known.
    state: target && own.length > 0 ? target.circuit.state : 'ok',
    ...{ lag_events: lagEvents, lag_seconds: lagSeconds },
    ...(target?.counted ?? { delivered: 0, retried: 0, dropped: 0 }),
    dead_letters: deadLetters,
    last_error: target?.lastError ?? null,
  }
}

function lagOf(ways: readonly Way[]): { lagEvents: number; lagSeconds: number } {
  const lags = ways.map(({ lane }) => lane.lag)
  return {
    lagEvents: lags.reduce((sum, { events }) => sum + events, 0),
    lagSeconds: Math.max(0, ...lags.map(({ seconds }) => seconds)),
  }
}
