import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const STREAM = /\/tail(?:\?|$)/

type Answered = { status: number; seconds: number }

/** Knows the requests that were begun and not answered, so that stopping can wait for them. It takes none for itself. */
export function watchRequests({ onAnswered }: { onAnswered(answered: Answered): void }): {
  watch(response: ServerResponse): void
  finished(withinMs: number): Promise<void>
} {
  const open = new Map<ServerResponse, number>()
  function close(this: ServerResponse): void {
    const startMs = open.get(this) ?? performance.now()
    open.delete(this)
    // A stream lasts as long as its reader likes.
    if (STREAM.test(this.req.url ?? '')) return
    onAnswered({ status: this.statusCode, seconds: (performance.now() - startMs) / 1000 })
  }
  return {
    watch(response) {
      open.set(response, performance.now())
      response.once('close', close)
    },
    /** Those that are open now; senders who go on sending while they are refused do not count. */
    async finished(withinMs) {
      const answered = [...open.keys()].map((response) => once(response, 'close'))
      await Promise.race([Promise.all(answered), wait(withinMs, undefined, { ref: false })])
    },
  }
}
