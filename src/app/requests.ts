import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** Knows the requests that were begun and not answered, so that stopping can wait for them. It takes none for itself. */
export function watchRequests(): { watch(response: ServerResponse): void; finished(withinMs: number): Promise<void> } {
  const open = new Set<ServerResponse>()
  function close(this: ServerResponse): void {
    open.delete(this)
  }
  return {
    watch(response) {
      open.add(response)
      response.once('close', close)
    },
    /** Those that are open now; senders who go on sending while they are refused do not count. */
    async finished(withinMs) {
      const answered = [...open].map((response) => once(response, 'close'))
      await Promise.race([Promise.all(answered), wait(withinMs, undefined, { ref: false })])
    },
  }
}
