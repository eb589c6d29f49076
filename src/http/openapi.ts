/** The description of the API (OpenAPI 3.1), made from the declarations of its routes. */
import { z } from 'zod'
import { type Described, nothing } from './route.ts'

export type OpenApi = {
  describe(route: Described): void
  document(): object
}

export const VERSION = '0.1.0'

const ErrorAnswer = z.object({ error: z.string() })
const ErrorsAnswer = z.object({ errors: z.record(z.string(), z.array(z.string())) })

export function createOpenApi(): OpenApi {
  const routes: Described[] = []
  return {
    describe: (route) => routes.push(route),
    document() {
      const paths: Record<string, Record<string, object>> = {}
      for (const route of routes) {
        const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
        paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
      }
      return {
        openapi: '3.1.0',
        info: {
          title: 'Millrace',
          version: VERSION,
          description: 'Takes log events, keeps them, and gives them back.',
        },
        security: [{ bearer: [] }, { key: [] }],
        paths,
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer' },
            key: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
          },
        },
      }
    },
  }
}

function operation(route: Described): object {
  const hasBody = !(route.body instanceof z.ZodUndefined)
  const contentType = route.contentType ?? 'application/json'
  return {
    tags: [route.area],
    summary: route.summary,
    description: neededBy(route),
    ...(route.scope === null ? { security: [] } : {}),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(hasBody ? { requestBody: { required: true, content: contentOf(route) } } : {}),
    responses: {
      [route.status]:
        route.answer === nothing.answer
          ? { description: 'Done' }
          : { description: 'Done', content: { [contentType]: { schema: jsonSchema(route.answer, 'output') } } },
      ...refusals(route, hasBody),
    },
  }
}

function contentOf({ body, bodyTypes = ['application/json'] }: Described): object {
  const schema = jsonSchema(body, 'input')
  return Object.fromEntries(bodyTypes.map((type) => [type, { schema }]))
}

function neededBy({ scope, role }: Described): string {
  if (scope === null) return 'Needs no token.'
  return `Needs a token with the scope ${scope}${role ? `, or a session with the role ${role}` : ''}.`
}

function refusals(route: Described, hasBody: boolean): Record<string, object> {
  const error = (description: string): object => ({ description, content: json(ErrorAnswer, 'output') })
  return {
    ...(route.scope === null ? {} : { 401: error('No, unknown or revoked token'), 403: error('The scope is missing') }),
    ...(route.path.includes(':') ? { 404: error('No such record in this account') } : {}),
    ...(hasBody
      ? {
          400: error('The body cannot be read'),
          422: { description: 'The record does not hold', content: json(ErrorsAnswer, 'output') },
        }
      : {}),
  }
}

function parameters(schema: z.ZodObject, place: 'path' | 'query'): object[] {
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(field, undefined).success,
    schema: jsonSchema(field, 'input'),
  }))
}

const json = (schema: z.core.$ZodType, io: 'input' | 'output'): object => ({
  'application/json': { schema: jsonSchema(schema, io) },
})

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
