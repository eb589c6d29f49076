/**
 * The HTTP face of the service. Routes come in areas, each in a scope of its own, so that the body parsers and hooks
 * of one (ingest takes raw bytes, management takes JSON) do not reach another.
 *
 * Promises: every answer of an API route is JSON and carries `x-request-id`; errors have one shape (`errors.ts`).
 * Refuses: headers over 16 KB, requests that dribble in, connections that only wait.
 */
import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Access } from '../access/access.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { presentPath, redirectAliases } from './aliases.ts'
import { createAudit } from './audit.ts'
import { answerError, answerErrors } from './errors.ts'
import type { Lane } from './lane.ts'
import { createOpenApi } from './openapi.ts'
import { IDLE_MS } from './plain/answer.ts'
import { createPlain } from './plain/plain.ts'
import { createRoutes, type Described, type Routes } from './route.ts'
import { addAccessTokenRoutes } from './routes/access-tokens.ts'
import { addAccountRoutes } from './routes/account.ts'
import { addAccountsRoutes } from './routes/accounts.ts'
import { addDocsRoutes } from './routes/docs.ts'
import { addHealthRoutes, type Health } from './routes/health.ts'
import { addKeyValueRoutes } from './routes/key-values.ts'
import { addRuleRoutes, type RuleParts } from './routes/rules.ts'
import { addSourceRoutes, type Parts as SourceParts } from './routes/sources/index.ts'

/** Routes with parsers and hooks of their own, such as ingest; `describe` puts them into the API description. */
export type Area = (app: FastifyInstance, describe: (route: Described) => void) => void | Promise<void>

/** Management routes, declared with `routes.add`. */
export type ManagementArea = (routes: Routes) => void

export type ServerParts = Omit<SourceParts, 'metrics'> &
  RuleParts & {
    access: Access
    catalog: Catalog
    metrics: Metrics
    sourceMetrics: SourceParts['metrics']
    health(): Health | Promise<Health>
    /** Told of every request of Node's server, before anything else. */
    watch?(response: ServerResponse): void
    /** Asked first, in order, for every request. */
    lanes?: Lane[]
    areas?: Area[]
    managementAreas?: ManagementArea[]
    logger?: FastifyBaseLogger
  }

export const BODY_LIMIT_BYTES = 12_000_000

const HTTP_LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: IDLE_MS,
}

/** What plain connections get to finish their request once the server closes. */
const DRAIN_MS = 5_000

export function createServer(parts: ServerParts): FastifyInstance {
  const { access, watch, lanes = [], areas = [], managementAreas = [], logger } = parts
  let drainPlain: (withinMs: number) => Promise<void>
  const app: FastifyInstance = fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for every request costs as much as reading its event; the request id is in the answer.
    childLoggerFactory: (shared) => shared,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory(route) {
      const server = createHttpServer(HTTP_LIMITS, (request, response) => {
        watch?.(response)
        if (!lanes.some((lane) => lane(request, response))) route(request, response)
      })
      drainPlain = createPlain(server, lanes).drain
      return server
    },
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    rewriteUrl: (request) => presentPath(request.url ?? '/'),
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
    // The id of an event has at most 256 bytes, three characters each in a path.
    routerOptions: { maxParamLength: 768 },
  })
  const openApi = createOpenApi()

  app.addHook('preClose', () => drainPlain(DRAIN_MS))
  answerErrors(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  redirectAliases(app)
  addHealthRoutes(app, parts)

  app.register(async (scope) => {
    takeJson(scope)
    const audit = createAudit({
      auditLog: parts.catalog.auditLog,
      onLost: (error) => app.log.warn({ err: error }, 'a change was not written to the audit log'),
    })
    const routes = createRoutes({ app: scope, access, describe: openApi.describe, audit })
    addAccountRoutes(routes)
    addAccountsRoutes(routes, parts)
    addAccessTokenRoutes(routes, parts)
    addSourceRoutes(routes, { ...parts, metrics: parts.sourceMetrics })
    addRuleRoutes(routes, parts)
    addKeyValueRoutes(routes, parts)
    for (const add of managementAreas) add(routes)
  })
  for (const add of areas) app.register(async (scope) => add(scope, openApi.describe))
  app.register(async (scope) => addDocsRoutes(scope, openApi))
  return app
}

/** Like the framework's own JSON parser, but a missing body with a JSON content type is no error: DELETE often has it. */
function takeJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:$|;)/, { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else parse(request, String(body), done)
  })
}

const BROKEN = new Map<string | undefined, { status: number; reason: string }>([
  ['HPE_HEADER_OVERFLOW', { status: 431, reason: 'The headers are too large.' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, reason: 'The request took too long to arrive.' }],
])

/** What is not HTTP has no request to answer; the connection gets a last word, if it still listens, and is closed. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, reason } = BROKEN.get(error.code) ?? { status: 400, reason: 'The request is not valid HTTP.' }
  const body = JSON.stringify({ error: reason })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
