/**
 * Queries of endpoints, by UUID or by name, GET and POST. Who may ask:
 * - by UUID: everybody, unless the endpoint has authentication enabled; then a token of its account with the scope `query`,
 *   `query:endpoint:<uuid>` or `management`
 * - by name: such a token always, and only endpoints that have authentication enabled
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Access, callerName, type Identity } from '../../../access/access.ts'
import { Fault } from '../../../base/faults.ts'
import { isUuid } from '../../../base/ids.ts'
import type { Answered } from '../../../endpoints/answered.ts'
import type { Run } from '../../../endpoints/run.ts'
import { readVersion } from '../../../endpoints/versions.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import { chooseFormat, type Encode, MEDIA_TYPES } from '../../../query/formats/formats.ts'
import { serviceHeader } from '../../aliases.ts'
import { allowBrowsers } from '../../cors.ts'
import { signalOf } from '../../gone.ts'
import { type Described, nothing } from '../../route.ts'
import { type Asked, readAsked, takeBodies } from './asked.ts'

export type EndpointQueryParts = { access: Access; run: Run; encode: Encode }

const PATH = '/api/endpoints/query/:name'

type Request = FastifyRequest<{ Params: { name: string }; Querystring: Record<string, unknown> }>
type Allowed = { endpoint: Endpoint; token: string | null }

export function addEndpointQueryRoutes(
  app: FastifyInstance,
  describe: (route: Described) => void,
  { access, run, encode }: EndpointQueryParts,
): void {
  takeBodies(app)
  allowBrowsers(app, { paths: [PATH], methods: ['GET', 'POST'] })

  /** The endpoint, if whoever asks may query it, and who asks, if it matters. Synchronous when all of it is known. */
  function allowed(request: Request): Allowed | Promise<Allowed> {
    const { name } = request.params
    if (!isUuid(name)) return allowedByName(request, name)
    const endpoint = access.endpoints.byToken(name)
    if (endpoint instanceof Promise) return endpoint.then((found) => allowedByToken(request, found))
    return allowedByToken(request, endpoint)
  }

  function allowedByToken(request: Request, endpoint: Endpoint | null): Allowed | Promise<Allowed> {
    if (!endpoint) throw noEndpoint()
    if (!endpoint.enable_auth) return { endpoint, token: null }
    const check = (identity: Identity): Allowed => {
      if (identity.account.id !== endpoint.account_id) throw noEndpoint()
      access.allow(identity, { to: 'query', endpoint })
      return { endpoint, token: callerName(identity) }
    }
    const identity = identify(request)
    return identity instanceof Promise ? identity.then(check) : check(identity)
  }

  async function allowedByName(request: Request, name: string): Promise<Allowed> {
    const identity = await identify(request)
    const endpoint = await access.endpoints.byName(identity.account.id, name)
    if (!endpoint) throw noEndpoint()
    access.allow(identity, { to: 'query', endpoint })
    if (!endpoint.enable_auth)
      throw new Fault(
        'forbidden',
        'An endpoint can be queried by its name only when its authentication is enabled. Use its UUID, or set enable_auth.',
      )
    return { endpoint, token: callerName(identity) }
  }

  const identify = ({ headers, query }: Request): Identity | Promise<Identity> =>
    access.identify(access.present(headers, query))

  /** A kept answer goes out in the same turn its request came in: thousands of them wait behind each other. */
  function answer(request: Request, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
    const asked = readAsked(request)
    const may = allowed(request)
    if (asked instanceof Promise || may instanceof Promise)
      return Promise.all([asked, may]).then(([read, who]) => respond(request, reply, read, who))
    return respond(request, reply, asked, may)
  }

  function respond(
    request: Request,
    reply: FastifyReply,
    { values: named, sql, lql }: Asked,
    { endpoint, token }: Allowed,
  ): FastifyReply | Promise<FastifyReply> {
    const { headers } = request
    const { values, format } = withoutFormat(named, endpoint)
    const chosen = chooseFormat(format, headers.accept)
    const redact = wantsRedaction(serviceHeader(headers, 'endpoint-redact-pii'), endpoint)
    const found = run({
      endpoint,
      version: readVersion(serviceHeader(headers, 'endpoint-version')),
      values,
      sql,
      lql,
      labels: serviceHeader(headers, 'endpoint-labels'),
      token,
      signal: () => signalOf(reply),
    })
    const send = (answered: Answered): FastifyReply | Promise<FastifyReply> => {
      reply.type(MEDIA_TYPES[chosen])
      if (chosen === 'json') return reply.send(answered.body(redact))
      return encoded(answered, redact, chosen).then((bytes) => reply.send(bytes))
    }
    return found instanceof Promise ? found.then(send) : send(found)
  }

  const encoded = (answered: Answered, redact: boolean, format: Parameters<Encode>[1]): Promise<Buffer> =>
    encode({ json: answered.list(redact), columns: answered.columns }, format)

  for (const method of ['GET', 'POST'] as const) {
    describe({ ...described, method })
    app.route<{ Params: { name: string }; Querystring: Record<string, unknown> }>({
      method,
      url: PATH,
      handler: answer,
    })
  }
}

/** `format` chooses the form of the answer, unless the query itself has a parameter of that name. */
function withoutFormat(values: Record<string, unknown>, { parameters }: Endpoint) {
  if (!('format' in values) || parameters.includes('format')) return { values, format: undefined }
  const { format, ...rest } = values
  return { values: rest, format }
}

/** Absent: as the endpoint says. Present: on when it says true. */
function wantsRedaction(header: string | undefined, { redact_pii }: Endpoint): boolean {
  return header === undefined ? redact_pii : header.trim().toLowerCase() === 'true'
}

const noEndpoint = (): Fault => new Fault('not_found', 'There is no such endpoint.')

const described = {
  ...nothing,
  path: PATH,
  area: 'endpoints',
  summary:
    'Query an endpoint by its UUID or name. Parameters by their names, in the query string or (POST) a JSON body; ' +
    'sql or lql run over its WITH queries where sandboxing is on',
  scope: 'query (only where authentication is enabled)',
  params: z.object({ name: z.string() }),
  query: z.object({ sql: z.string().optional(), lql: z.string().optional(), format: z.string().optional() }),
  status: 200,
  answer: z.object({ result: z.array(z.record(z.string(), z.unknown())) }),
}
