/**
 * Sends dead letters once more, for a receiver that was mended. Those that it takes are forgotten. A call tries so many
 * and takes so long at most, and says what it did; the next one begins with those that were not tried.
 */
import type { Clock } from '../../base/clock.ts'
import type { DeadLetters } from '../../catalog/dead-letters.ts'
import type { Backend, DeadLetter } from '../../model/backend.ts'
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { FlatFields } from '../../model/fields.ts'
import { SOURCE_DEFAULTS, type Source } from '../../model/source.ts'
import { originOf } from '../kind.ts'
import { settle } from './settle.ts'
import type { Target } from './target.ts'

export type Retried = { tried: number; delivered: number; remaining: number; error: string | null }

export const LETTERS_AT_ONCE = 1_000
/** Events of one source that lie side by side go together. */
const LETTERS_A_REQUEST = 200
/** Below what callers and proxies wait for an answer. */
const LONGEST_MS = 20_000

type Parts = {
  backend: Backend
  target: Target | undefined
  sources: Source[]
  fields(token: string): FlatFields
  deadLetters: DeadLetters
  clock: Clock
  /** Letters up to this one were tried by the call before. */
  afterId: number
}

/** Also where the next call should begin: 0 when all were tried. */
export async function retryLetters(parts: Parts): Promise<Retried & { afterId: number }> {
  const { backend, target, sources, fields, deadLetters, clock } = parts
  const until = clock.nowMs() + LONGEST_MS
  let { afterId } = parts
  let [tried, delivered] = [0, 0]
  let error: string | null = target ? null : 'the backend is not ready yet'
  let isOver = target === undefined
  while (target && !isOver && tried < LETTERS_AT_ONCE && clock.nowMs() < until) {
    const letters = await deadLetters.list(backend.id, { limit: LETTERS_A_REQUEST, afterId })
    if (letters.length < LETTERS_A_REQUEST) isOver = true
    for (const group of bySource(letters)) {
      const taken: number[] = []
      const { failure, count } = await settle(group.map(eventOf), {
        receiver: target.receiver,
        source: originOf(sourceOf(group[0]!.source, sources), fields),
        onAccepted: (from, to) => taken.push(...group.slice(from, to).map(({ id }) => id)),
        onRefused: async (_index, reason) => {
          error = reason
          return null
        },
      })
      await deadLetters.remove(taken)
      tried += failure ? count + 1 : group.length
      delivered += taken.length
      target.delivered(taken.length)
      if (!failure) continue
      const remaining = await deadLetters.count(backend.id)
      return { tried, delivered, remaining, error: failure.reason, afterId: 0 }
    }
    afterId = letters.at(-1)?.id ?? 0
  }
  return { tried, delivered, remaining: await deadLetters.count(backend.id), error, afterId: isOver ? 0 : afterId }
}

/** Letters outlive their source. */
function sourceOf(token: string, sources: Source[]): Parameters<typeof originOf>[0] {
  const gone = { token, name: token, service_name: null, retention_days: SOURCE_DEFAULTS.retention_days }
  return sources.find((one) => one.token === token) ?? gone
}

function bySource(letters: DeadLetter[]): DeadLetter[][] {
  const groups = new Map<string, DeadLetter[]>()
  for (const letter of letters) groups.set(letter.source, [...(groups.get(letter.source) ?? []), letter])
  return [...groups.values()]
}

function eventOf({ event: text }: DeadLetter): StoredEvent {
  const event: StoredEvent = JSON.parse(text)
  return event
}
