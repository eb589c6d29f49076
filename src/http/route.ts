/**
 * A management route, declared once: its address and the schemas of what goes in and out. The same declaration checks
 * requests, types the handler and makes the API description. Which role it needs stands in `roles.ts`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Access, Identity } from '../access/access.ts'
import type { Visitor } from '../access/people/people.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import { check } from '../model/check.ts'
import type { Role } from '../model/person.ts'
import type { Change } from './audit.ts'
import { signalOf } from './gone.ts'
import { isChange, roleFor } from './roles.ts'
import { visitorOf } from './visitor.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the API description needs. Routes that are not built here (ingest, queries) describe themselves with it. */
export type Described = {
  method: Method
  /** With `:name` for parameters. */
  path: string
  area: string
  summary: string
  /** The scopes of which one is needed; null when no token is. */
  scope: string | null
  /** The role of people that is enough as well; none where only tokens are taken. */
  role?: Role
  params: z.ZodObject
  query: z.ZodObject
  body: z.ZodType
  /** Of the body, when it is not only JSON. */
  bodyTypes?: string[] | undefined
  status: number
  answer: z.ZodType
  /** Of the answer, when it is not JSON. */
  contentType?: string
}

/** Spread first into a declaration; what the route has then replaces it. */
export const nothing = {
  params: z.object({}),
  query: z.object({}),
  body: z.undefined(),
  answer: z.undefined(),
}

export const byToken = z.object({ token: z.uuid() })

/** An answer that is JSON text already and is passed on as it is. */
export class FinishedJson {
  readonly text: string | Buffer
  /** Where it is not the status of the route. */
  readonly status: number | null
  constructor(text: string | Buffer, status: number | null = null) {
    this.text = text
    this.status = status
  }
}

/** A finished answer of another type than JSON, or one that flows. */
export class FinishedBody {
  readonly type: string
  readonly bytes: string | Buffer | Readable
  constructor(type: string, bytes: string | Buffer | Readable) {
    this.type = type
    this.bytes = bytes
  }
}

export type OpenCall<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  headers: IncomingHttpHeaders
  visitor: Visitor
  /** Of the answer. */
  setHeader(name: string, value: string): void
  /** Aborted when the caller goes away before the answer. */
  signal: AbortSignal
}

export type Call<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = OpenCall<
  Params,
  Query,
  Body
> & { identity: Identity }

type Declared<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  Called,
> = Omit<Described, 'scope' | 'role'> & {
  params: Params
  query: Query
  body: Body
  answer: Answer
  run(call: Called): Promise<z.output<Answer> | FinishedJson | FinishedBody>
}

export type Route<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Declared<Params, Query, Body, Answer, Call<Params, Query, Body>>

export type OpenRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Declared<Params, Query, Body, Answer, OpenCall<Params, Query, Body>>

export type Routes = {
  /** Needs the scope `management`, or a person with the role that `roles.ts` names. */
  add<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>(
    route: Route<Params, Query, Body, Answer>,
  ): void
  /** Open to everybody, such as logging in. */
  addOpen<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>(
    route: OpenRoute<Params, Query, Body, Answer>,
  ): void
}

type Parts = {
  app: FastifyInstance
  access: Access
  describe: (route: Described) => void
  /** Hears of every change that succeeded, before its answer leaves. */
  audit: (change: Change) => Promise<void>
}

/** Who asks is checked before the body is read. */
export function createRoutes({ app, access, describe, audit }: Parts): Routes {
  const identities = new WeakMap<object, Identity>()
  return {
    add({ run, ...route }) {
      const role = roleFor(route.method, route.path)
      describe({ ...route, scope: 'management', role })
      app.route({
        method: route.method,
        url: route.path,
        async onRequest(request) {
          const query = z.record(z.string(), z.unknown()).parse(request.query)
          const { method, headers } = request
          const identity = await access.recognise({ method, headers, query })
          access.allow(identity, { to: 'manage', role })
          identities.set(request, identity)
        },
        async handler(request, reply) {
          const identity = identities.get(request)!
          const call = { ...callOf(route, request, reply), identity }
          const answer = await run(call)
          if (isChange(route.method, route.path))
            await audit({ identity, route, params: call.params, body: request.body, answer, visitor: call.visitor })
          return send(reply, route, answer)
        },
      })
    },
    addOpen({ run, ...route }) {
      describe({ ...route, scope: null })
      app.route({
        method: route.method,
        url: route.path,
        handler: async (request, reply) => send(reply, route, await run(callOf(route, request, reply))),
      })
    },
  }
}

function callOf<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  route: { params: Params; query: Query; body: Body },
  request: FastifyRequest,
  reply: FastifyReply,
): OpenCall<Params, Query, Body> {
  return {
    params: checkPath(route.params, request.params),
    query: checkQuery(route.query, request.query),
    body: checkBody(route.body, request.body),
    headers: request.headers,
    visitor: visitorOf(request),
    setHeader: (name, value) => void reply.header(name, value),
    signal: signalOf(reply),
  }
}

function send(reply: FastifyReply, { status }: { status: number }, answer: unknown): FastifyReply {
  reply.code(status)
  if (answer instanceof FinishedJson) {
    if (answer.status !== null) reply.code(answer.status)
    return reply.type('application/json; charset=utf-8').send(answer.text)
  }
  if (answer instanceof FinishedBody) return reply.type(answer.type).send(answer.bytes)
  return reply.send(answer)
}

/** A path that cannot name a record names none. */
function checkPath<Schema extends z.ZodObject>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (!result.success) throw new Fault('not_found', 'Not Found')
  return result.data
}

function checkQuery<Schema extends z.ZodObject>(schema: Schema, input: unknown): z.output<Schema> {
  try {
    return check(schema, input)
  } catch (error) {
    if (error instanceof InvalidRecord) throw new Fault('bad_request', `Query parameters: ${error.message}`)
    throw error
  }
}

/** No body at all reads as an empty object, so that its fields are named as missing. A needless one is not looked at. */
function checkBody<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return check(schema, schema instanceof z.ZodUndefined ? undefined : (input ?? {}))
}
