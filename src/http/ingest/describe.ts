/** What the API description says of ingest; the requests themselves are taken by the lane. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { allowBrowsers } from '../cors.ts'
import { type Described, nothing } from '../route.ts'
import { INGEST_PATHS } from './addresses.ts'

const SUMMARIES: Record<string, string> = {
  '/api/logs': 'Send events: a batch, an array, one object, or newline-delimited JSON',
  '/api/logs/cloud-event': 'Send events in the binary mode of CloudEvents',
  '/api/logs/edge': 'Receive an edge log push',
  '/api/logs/json': 'Send JSON of any shape, kept whole under metadata',
  '/api/logs/browser/reports': 'Receive reports of browsers, such as violations of a content security policy',
  '/api/logs/vector': "Receive events of Vector's http sink, kept under metadata",
  '/api/logs/vercel': 'Receive a Vercel log drain',
  '/api/logs/netlify': 'Receive a Netlify log drain',
  '/api/logs/github': 'Receive a GitHub webhook',
  '/api/logs/typecasts': 'Send a batch that says which of its texts are numbers',
  '/api/logs/syslogs': 'Receive syslog messages, RFC 5424 or 3164, by lines or by length',
  '/api/logs/elixir/logger': 'Receive a batch of an Elixir or Erlang logger, as JSON',
  '/api/logs/fluent-bit': "Receive Fluent Bit's http output, whose date is the time",
}

const Event = z.record(z.string(), z.unknown())

export function addIngestArea(app: FastifyInstance, describe: (route: Described) => void): void {
  allowBrowsers(app, { paths: INGEST_PATHS, methods: ['POST'] })
  for (const path of INGEST_PATHS)
    describe({
      ...nothing,
      method: 'POST',
      area: 'ingest',
      scope: 'ingest',
      path,
      summary: SUMMARIES[path] ?? path,
      query: z.object({ source: z.uuid().optional(), source_name: z.string().optional() }),
      body: z.union([z.object({ batch: z.array(Event) }), z.array(Event), Event]),
      status: 200,
      answer: z.object({ message: z.literal('Logged!') }),
    })
}
