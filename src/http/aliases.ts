/**
 * Every second name under which existing senders and tools know this service. Nothing else in the code knows them.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'

const PATHS: [RegExp, string][] = [
  [/^\/(?:logs|api\/events)(?=$|[/?])/, '/api/logs'],
  [/^(\/api\/logs)\/cloudflare(?=$|[/?])/, '$1/edge'],
  [/^(\/api\/logs)\/zeit(?=$|[/?])/, '$1/vercel'],
  [/^(\/api\/logs)\/(?:syslog|logplex)(?=$|[/?])/, '$1/syslogs'],
  [/^(\/api\/logs)\/erlang(?:\/logger|\/lager)?(?=$|[/?])/, '$1/elixir/logger'],
  [/^(?:\/api)?\/endpoints\/query\/(?:name\/(?=[^/?]))?/, '/api/endpoints/query/'],
  [/^\/api\/openapi(?=$|\?)/, '/api/openapi.json'],
]

/** The path under the name its route has. */
export function presentPath(url: string): string {
  // Nearly all requests come under the present names of two routes; they should not pay for the others.
  if (url.startsWith('/api/logs?')) return url
  if (url.startsWith('/api/endpoints/query/') && !url.startsWith('name/', 21)) return url
  return PATHS.reduce((path, [alias, name]) => path.replace(alias, name), url)
}

/** The value of a `SVC-…` header, also when it was sent as `LF-…`. `name` is what follows the prefix, in lower case. */
export function serviceHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[`svc-${name}`] ?? headers[`lf-${HEADERS.get(name) ?? name}`]
  return Array.isArray(value) ? value[0] : value
}

/** All names under which a `SVC-…` header may come. */
export const serviceHeaderNames = (name: string): string[] => [`SVC-${name}`, `LF-${HEADERS.get(name) ?? name}`]

/** Headers whose older form differs in more than the prefix. */
const HEADERS = new Map([['endpoint-warehouse-reservation', 'endpoint-bigquery-reservation']])

export function redirectAliases(app: FastifyInstance): void {
  app.get('/swaggerui', (_request, reply) => reply.redirect('/docs'))
}
