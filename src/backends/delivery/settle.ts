/** Sends events until each was taken or refused by itself; a refused batch is halved until the guilty ones stand alone. */
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { Origin, Outcome, Place, Receiver } from '../kind.ts'

export type Failure = Extract<Outcome, { kind: 'failed' }>

export type Settled = {
  /** This many from the front are done with. */
  count: number
  /** Why the next one is not; null when all are. */
  failure: Failure | null
}

type Parts = {
  receiver: Pick<Receiver, 'send'>
  source: Origin
  /** Where an event stands in the journal; of dead letters nobody knows. */
  placeOf?(index: number): Place
  onAccepted(from: number, to: number, lost?: { count: number; reason: string }): void
  /** A failure instead of null: it could not be put aside. */
  onRefused(index: number, reason: string): Promise<Failure | null>
}

export async function settle(events: StoredEvent[], { receiver, source, placeOf, onAccepted, onRefused }: Parts) {
  async function part(from: number, to: number): Promise<Settled> {
    const place = placeOf ? { place: placeOf(from) } : {}
    const outcome = await receiver.send({ source, events: events.slice(from, to), ...place })
    if (outcome.kind === 'failed') return { count: from, failure: outcome }
    if (outcome.kind === 'accepted') {
      let next = from
      for (const { index, reason } of outcome.refused ?? []) {
        if (next < from + index) onAccepted(next, from + index)
        const failure = await onRefused(from + index, reason)
        if (failure) return { count: from + index, failure }
        next = from + index + 1
      }
      if (next < to) onAccepted(next, to, outcome.lost)
      return { count: to, failure: null }
    }
    if (to - from === 1) {
      const failure = await onRefused(from, outcome.reason)
      return failure ? { count: from, failure } : { count: to, failure: null }
    }
    const middle = (from + to) >> 1
    const first = await part(from, middle)
    return first.failure ? first : part(middle, to)
  }
  return part(0, events.length)
}
