import { Fault } from '../../base/faults.ts'

/**
 * How many reads run at once. Each holds a thread of the engine's pool while it runs, and loading needs one too, so the pool
 * has more threads (`POOL_THREADS`) than there are slots. The others wait for their turn, but not for ever.
 */
export const READS_AT_ONCE = 8
export const POOL_THREADS = READS_AT_ONCE + 4
const MAX_WAIT_MS = 10_000

export type Slots = {
  /** Resolves when it is this read's turn, with what ends it. Rejects when it waited too long or nobody wants it any more. */
  take(signal: AbortSignal): Promise<() => void>
}

type Waiting = { start(): void }

export function createSlots({ atOnce = READS_AT_ONCE, maxWaitMs = MAX_WAIT_MS } = {}): Slots {
  const queue = new Set<Waiting>()
  let free = atOnce

  function release(): void {
    const [next] = queue
    if (next) next.start()
    else free += 1
  }

  function wait(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(waiting)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
      }
      const waiting = {
        start() {
          leave()
          resolve(release)
        },
      }
      const cancel = (): void => {
        leave()
        reject(new Fault('query_failed', 'The query was cancelled.'))
      }
      const timer = setTimeout(() => {
        leave()
        reject(
          new Fault(
            'busy',
            `${atOnce} queries are running, and this one waited ${maxWaitMs / 1000} s for its turn. Try again later.`,
          ),
        )
      }, maxWaitMs)
      signal.addEventListener('abort', cancel, { once: true })
      queue.add(waiting)
    })
  }

  return {
    async take(signal) {
      if (signal.aborted) throw new Fault('query_failed', 'The query was cancelled.')
      if (free === 0) return wait(signal)
      free -= 1
      return release
    },
  }
}
