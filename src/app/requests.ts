import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Lane } from '../http/lane.ts'

/** Knows the requests that were begun and not answered, so that stopping can wait for them. It takes none for itself. */
export function watchRequests(): { lane: Lane; finished(withinMs: number): Promise<void> } {
  const open = new Set<ServerResponse>()
  function close(this: ServerResponse): void {
    open.delete(this)
  }
  return {
    lane(_request, response) {
      open.add(response)
      response.once('close', close)
      return false
    },
    /** Those that are open now; senders who go on sending while they are refused do not count. */
    async finished(withinMs) {
      const answered = [...open].map((response) => once(response, 'close'))
      await Promise.race([Promise.all(answered), wait(withinMs, undefined, { ref: false })])
    },
  }
}
