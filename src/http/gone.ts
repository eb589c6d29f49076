import type { FastifyReply } from 'fastify'

/** Aborted when the connection closes before the answer was sent: there is nobody left to work for. */
export function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}
