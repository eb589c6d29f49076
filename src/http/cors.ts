import type { FastifyInstance } from 'fastify'
import { serviceHeaderNames } from './aliases.ts'

const PREFLIGHT_KEPT_S = 1_728_000
const HEADERS = [
  'Authorization',
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'X-Requested-With',
  'X-API-KEY',
  'X-Source',
  'X-Collection',
  ...['endpoint-version', 'endpoint-labels', 'endpoint-redact-pii', 'endpoint-warehouse-reservation'].flatMap(
    serviceHeaderNames,
  ),
]

/**
 * Lets any web page call the routes of this scope. Their token travels in a header or the URL, never in a cookie, so
 * a page gains nothing it was not given. Preflights pass without a token: browsers do not send one with them.
 */
export function allowBrowsers(app: FastifyInstance, { paths, methods }: { paths: string[]; methods: string[] }): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', 'x-request-id, retry-after')
    done()
  })
  const preflight = {
    'access-control-allow-methods': [...methods, 'OPTIONS'].join(','),
    'access-control-allow-headers': HEADERS.join(','),
    'access-control-max-age': String(PREFLIGHT_KEPT_S),
  }
  for (const path of paths) app.options(path, (_request, reply) => reply.code(204).headers(preflight).send())
}
