/** Sends dead letters once more, for a receiver that was mended. Those that it takes are forgotten. */
import type { DeadLetters } from '../../catalog/dead-letters.ts'
import type { Backend, DeadLetter } from '../../model/backend.ts'
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { FlatFields } from '../../model/fields.ts'
import { SOURCE_DEFAULTS, type Source } from '../../model/source.ts'
import { originOf } from '../kind.ts'
import { settle } from './settle.ts'
import type { Target } from './target.ts'

export type Retried = { delivered: number; remaining: number; error: string | null }

/** Events of one source that lie side by side go together. */
const LETTERS_AT_A_TIME = 200

type Parts = {
  backend: Backend
  target: Target | undefined
  sources: Source[]
  fields(token: string): FlatFields
  deadLetters: DeadLetters
}

export async function retryLetters({ backend, target, sources, fields, deadLetters }: Parts): Promise<Retried> {
  let delivered = 0
  let afterId = 0
  let error: string | null = null
  while (target) {
    const letters = await deadLetters.list(backend.id, { limit: LETTERS_AT_A_TIME, afterId })
    const last = letters.at(-1)
    if (!last) break
    afterId = last.id
    for (const group of bySource(letters)) {
      const taken: number[] = []
      const token = group[0]!.source
      const gone = { token, name: token, service_name: null, retention_days: SOURCE_DEFAULTS.retention_days }
      const source = sources.find((one) => one.token === token) ?? gone
      const { failure } = await settle(group.map(eventOf), {
        receiver: target.receiver,
        source: originOf(source, fields),
        onAccepted: (from, to) => taken.push(...group.slice(from, to).map(({ id }) => id)),
        onRefused: async (_index, reason) => {
          error = reason
          return null
        },
      })
      await deadLetters.remove(taken)
      delivered += taken.length
      target.counted.delivered += taken.length
      if (failure) return { delivered, remaining: await deadLetters.count(backend.id), error: failure.reason }
    }
  }
  return { delivered, remaining: await deadLetters.count(backend.id), error }
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
