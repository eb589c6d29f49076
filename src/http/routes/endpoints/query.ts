/**
 * Queries of endpoints, by UUID or by name, GET and POST. Who may ask:
 * - by UUID: everybody, unless the endpoint has authentication enabled; then a token of its account with the scope `query`,
 *   `query:endpoint:<uuid>` or `management`, or a person of its account
 * - by name: such a token or person always, and only endpoints that have authentication enabled
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Access } from '../../../access/access.ts'
import type { Answered } from '../../../endpoints/answered.ts'
import type { Kept, Run } from '../../../endpoints/run.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import { chooseFormat, type Encode, MEDIA_TYPES } from '../../../query/formats/formats.ts'
import { allowBrowsers } from '../../cors.ts'
import { signalOf } from '../../gone.ts'
import { type Described, nothing } from '../../route.ts'
import { type Allowed, createAllowed } from './allowed.ts'
import { type Asked, readAsked, takeBodies } from './asked.ts'
import { callOf, wantsRedaction } from './call.ts'
import { answerDashboardErrors, dashboardBody } from './dashboard.ts'

export type EndpointQueryParts = { access: Access; run: Run; kept: Kept; encode: Encode; isForDashboard?: boolean }

const PATH = '/api/endpoints/query/:name'

type Request = FastifyRequest<{ Params: { name: string }; Querystring: Record<string, unknown> }>

export function addEndpointQueryRoutes(
  app: FastifyInstance,
  describe: (route: Described) => void,
  { access, run, kept, encode, isForDashboard = false }: EndpointQueryParts,
): void {
  const allowed = createAllowed(access)
  takeBodies(app)
  if (isForDashboard) answerDashboardErrors(app)
  allowBrowsers(app, { paths: [PATH], methods: ['GET', 'POST'] })

  async function answer(request: Request, reply: FastifyReply): Promise<FastifyReply> {
    const who = await allowed({
      name: request.params.name,
      method: request.method,
      headers: request.headers,
      query: request.query,
    })
    return respond(request, reply, await readAsked(request), who)
  }

  async function respond(request: Request, reply: FastifyReply, asked: Asked, who: Allowed): Promise<FastifyReply> {
    const { headers } = request
    const { values, format } = withoutFormat(asked.values, who.endpoint)
    const chosen = chooseFormat(format, headers.accept)
    const redact = wantsRedaction(headers, who.endpoint)
    const call = callOf(who, { ...asked, values }, headers, () => signalOf(reply))
    const found = kept(call)
    const answered = found ?? (await run(call))
    reply.header('x-cache', found ? 'hit' : 'miss')
    reply.type(MEDIA_TYPES[chosen])
    if (chosen !== 'json') return reply.send(await encoded(answered, redact, chosen))
    return reply.send(isForDashboard ? dashboardBody(answered.list(redact)) : answered.body(redact).data)
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
