/** For those who run the service: is it alive, may it get requests, what is it doing. No token is needed. */
import type { FastifyInstance } from 'fastify'

export type Health = {
  /** Requests are welcome only while `ready`. */
  state: 'starting' | 'ready' | 'draining'
  /** Shown by /health: nothing secret, as it needs no token. */
  details: Record<string, unknown>
}

type Parts = { health(): Health | Promise<Health>; metrics: { print(): string } }

export function addHealthRoutes(app: FastifyInstance, { health, metrics }: Parts): void {
  app.get('/health', async () => {
    const { state, details } = await health()
    return { status: 'ok', state, ...details }
  })

  app.get('/ready', async (_request, reply) => {
    const { state } = await health()
    if (state === 'ready') return { status: 'ok', state }
    return reply
      .code(503)
      .header('retry-after', 1)
      .send({ error: `The service is ${state}.`, state })
  })

  app.get('/metrics', (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.print())
  })
}
