/**
 * The tools for assistants over HTTP (the protocol's "streamable HTTP", without sessions: every request stands alone).
 * A tool's question goes through the service's own routes with the caller's token, so it meets the same checks.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Access, TokenIdentity } from '../../access/access.ts'
import { Fault } from '../../base/faults.ts'
import { createMcpServer } from '../../mcp/mcp.ts'
import type { Ask } from '../../mcp/tool.ts'
import { VERSION } from '../openapi.ts'
import { type Described, nothing } from '../route.ts'

const PATH = '/mcp'
const BODY_BYTES_MAX = 1_000_000

export function addMcpRoutes(
  app: FastifyInstance,
  describe: (route: Described) => void,
  { access }: { access: Access },
): void {
  describe({
    ...nothing,
    method: 'POST',
    path: PATH,
    area: 'assistants',
    summary: 'Tools for assistants: Model Context Protocol over streamable HTTP, one message a request',
    scope: 'query or management',
    body: z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() }),
    status: 200,
    answer: z.looseObject({ jsonrpc: z.literal('2.0') }),
  })

  app.post(PATH, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const query = z.record(z.string(), z.unknown()).parse(request.query)
    const token = access.present(request.headers, query)
    allowReaders(await access.identify(token))
    await answer(request, reply, askWith(app, token ?? ''))
  })

  // Without sessions there is no stream to open and none to end.
  app.route({
    method: ['GET', 'DELETE'],
    url: PATH,
    handler: (_, reply) => reply.code(405).header('allow', 'POST').send({ error: 'Send messages by POST.' }),
  })
}

function allowReaders({ scopes }: TokenIdentity): void {
  if (scopes.management || scopes.query || scopes.endpoints.size > 0) return
  throw new Fault('forbidden', 'This needs a token with the scope query or management.')
}

const askWith =
  (app: FastifyInstance, token: string): Ask =>
  async (method, url, body) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await app.inject({ method, url, headers, ...(body ? { payload: body } : {}) })
    return { status: answer.statusCode, text: answer.body }
  }

async function answer(request: FastifyRequest, reply: FastifyReply, ask: Ask): Promise<void> {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const onError = (error: unknown): void => request.log.error({ err: error }, 'a tool for assistants failed')
  const server = await createMcpServer({ ask, release: VERSION, onError })
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  reply.hijack()
  reply.raw.setHeader('x-request-id', request.id)
  reply.raw.once('close', () => void server.close())
  try {
    await server.connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  } catch (error) {
    onError(error)
    if (!reply.raw.headersSent) reply.raw.writeHead(500, { 'content-type': 'application/json' })
    reply.raw.end('{"error":"Internal server error"}')
  }
}
