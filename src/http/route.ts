/**
 * A management route, declared once: its address, who may call it, and the schemas of what goes in and out. The same
 * declaration checks requests, types the handler and makes the API description.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Access, Identity } from '../access/access.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import { check } from '../model/check.ts'
import { signalOf } from './gone.ts'

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

/** A finished answer of another type than JSON. */
export class FinishedBody {
  readonly type: string
  readonly bytes: string | Buffer
  constructor(type: string, bytes: string | Buffer) {
    this.type = type
    this.bytes = bytes
  }
}

export type Call<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = {
  identity: Identity
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  headers: IncomingHttpHeaders
  /** Aborted when the caller goes away before the answer. */
  signal: AbortSignal
}

export type Route<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Omit<Described, 'scope'> & {
  params: Params
  query: Query
  body: Body
  answer: Answer
  run(call: Call<Params, Query, Body>): Promise<z.output<Answer> | FinishedJson | FinishedBody>
}

export type Routes = {
  add<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType>(
    route: Route<Params, Query, Body, Answer>,
  ): void
}

type Parts = { app: FastifyInstance; access: Access; describe: (route: Described) => void }

/** Adds routes that need the scope `management`. The token is checked before the body is read. */
export function createRoutes({ app, access, describe }: Parts): Routes {
  const identities = new WeakMap<object, Identity>()
  return {
    add({ run, ...route }) {
      describe({ ...route, scope: 'management' })
      app.route({
        method: route.method,
        url: route.path,
        async onRequest(request) {
          const query = z.record(z.string(), z.unknown()).parse(request.query)
          const identity = await access.identify(access.present(request.headers, query))
          access.allow(identity, { to: 'manage' })
          identities.set(request, identity)
        },
        async handler(request, reply) {
          const answer = await run({
            identity: identities.get(request)!,
            params: checkPath(route.params, request.params),
            query: checkQuery(route.query, request.query),
            body: checkBody(route.body, request.body),
            headers: request.headers,
            signal: signalOf(reply),
          })
          reply.code(route.status)
          if (answer instanceof FinishedJson) {
            if (answer.status !== null) reply.code(answer.status)
            return reply.type('application/json; charset=utf-8').send(answer.text)
          }
          if (answer instanceof FinishedBody) return reply.type(answer.type).send(answer.bytes)
          return reply.send(answer)
        },
      })
    },
  }
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
