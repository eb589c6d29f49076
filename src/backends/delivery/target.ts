/** One backend as lanes see it: its receiver with the settings of now, whether it is worth trying, and what was counted. */
import type { Clock } from '../../base/clock.ts'
import type { Counter } from '../../base/metrics.ts'
import type { DeadLetters } from '../../catalog/dead-letters.ts'
import type { Backend } from '../../model/backend.ts'
import { printEvent, type StoredEvent } from '../../model/event-of-row.ts'
import { kindOf } from '../backends.ts'
import {
  type BatchLimits,
  failed,
  type Kind,
  type Options,
  type Origin,
  type Place,
  type Receiver,
  type Surroundings,
} from '../kind.ts'
import { type Circuit, createCircuit, type Pace } from './circuit.ts'
import { type Failure, type Settled, settle } from './settle.ts'

/** With so many put aside, something is wrong with more than single events: delivery stops until somebody looks. */
export const DEAD_LETTERS_MAX = 10_000

export type DeliveryCounters = { delivered: Counter; retried: Counter; refused: Counter; dropped: Counter }

export type TargetParts = {
  backend: Backend
  deadLetters: DeadLetters
  clock: Clock
  pace: Pace
  surroundings: Surroundings
  counters: DeliveryCounters
}

export type Target = {
  readonly backend: Backend
  readonly kind: Kind
  readonly circuit: Circuit
  readonly receiver: Receiver
  readonly batch: BatchLimits
  readonly counted: { delivered: number; retried: number; dropped: number }
  readonly lastError: string | null
  deliver(events: StoredEvent[], source: Origin, placeOf: (index: number) => Place): Promise<Settled>
  /** Counts what was taken beside `deliver`. */
  delivered(events: number): void
  broke(failure: Failure): void
  dropped(events: number): void
  /** Acts on the next batch. Whether anything changed. */
  adopt(backend: Backend): boolean
  stop(): void
}

export function createTarget({ deadLetters, clock, pace, surroundings, counters, ...parts }: TargetParts): Target {
  let { backend } = parts
  const kind = kindOf(backend.type)
  const circuit = createCircuit({ clock, pace })
  const counted = { delivered: 0, retried: 0, dropped: 0 }
  let receiver = connect(backend.config)
  let lastError: string | null = null

  function connect(config: Options): Receiver {
    try {
      return kind.connect(config, surroundings)
    } catch (error) {
      return unusable(error)
    }
  }

  function delivered(events: number): void {
    counted.delivered += events
    counters.delivered.value += events
  }

  async function putAside(event: StoredEvent, source: Origin, reason: string): Promise<Failure | null> {
    lastError = reason
    if ((await deadLetters.count(backend.id)) >= DEAD_LETTERS_MAX) {
      const full = failed(`${DEAD_LETTERS_MAX} events were refused and wait as dead letters; the last: ${reason}`, true)
      return full.kind === 'failed' ? full : null
    }
    await deadLetters.add(backend.id, [{ source: source.token, reason, event: printEvent(event) }])
    counters.refused.value++
    return null
  }

  return {
    get backend() {
      return backend
    },
    get receiver() {
      return receiver
    },
    get lastError() {
      return lastError
    },
    get batch() {
      return receiver.batch ?? kind.batch
    },
    kind,
    circuit,
    counted,
    deliver: (events, source, placeOf) =>
      settle(events, {
        receiver,
        source,
        placeOf,
        onAccepted(from, to, lost) {
          delivered(to - from - (lost?.count ?? 0))
          if (!lost) return
          counters.refused.value += lost.count
          lastError = lost.reason
        },
        onRefused: (index, reason) => putAside(events[index]!, source, reason),
      }),
    delivered,
    broke(failure) {
      lastError = failure.reason
      counted.retried++
      counters.retried.value++
      circuit.broke(failure)
    },
    dropped(events) {
      counted.dropped += events
      counters.dropped.value += events
      lastError = `${events} events were given up: the receiver is too far behind`
    },
    adopt(next) {
      const isSame = next.updated_at === backend.updated_at && same(next.config, backend.config)
      backend = next
      if (isSame) return false
      receiver.stop()
      receiver = connect(next.config)
      circuit.forget()
      return true
    },
    stop: () => receiver.stop(),
  }
}

const same = (a: Options, b: Options): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A stored config that does not hold (any more): nothing is lost, and the status says why nothing goes out. */
function unusable(error: unknown): Receiver {
  const reason = `the config cannot be used: ${error instanceof Error ? error.message : String(error)}`
  return {
    send: async () => failed(reason, true),
    probe: async () => ({ ok: false, reason: 'unknown_error', message: reason }),
    stop() {},
  }
}
