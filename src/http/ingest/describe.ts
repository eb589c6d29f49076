/** What the API description says of ingest; the requests themselves are taken by the lane. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { allowBrowsers } from '../cors.ts'
import { type Described, nothing } from '../route.ts'
import { INGEST_PATHS } from './addresses.ts'

const SUMMARIES: Record<string, string> = {
  '/api/logs': 'Send events: a batch, an array, one object, or newline-delimited JSON',
  '/api/logs/cloud-event': 'Send events in the binary, structured or batch mode of CloudEvents',
  '/api/logs/edge': 'Receive an edge log push (also /api/logs/cloudflare)',
  '/api/logs/json': 'Send JSON of any shape, kept whole under metadata',
  '/api/logs/browser/reports': 'Receive reports of browsers, such as violations of a content security policy',
  '/api/logs/vector': "Receive events of Vector's http sink, kept under metadata",
  '/api/logs/vercel': 'Receive a Vercel log drain (also /api/logs/zeit)',
  '/api/logs/netlify': 'Receive a Netlify log drain',
  '/api/logs/github': 'Receive a GitHub webhook',
  '/api/logs/typecasts': 'Send a batch that says which of its texts are numbers',
  '/api/logs/syslogs': 'Receive syslog messages, RFC 5424 or 3164, by lines or by length (also /syslog, /logplex)',
  '/api/logs/elixir/logger':
    'Receive a batch of an Elixir or Erlang logger, as JSON or BERT (also /erlang, /erlang/logger)',
  '/loki/api/v1/push': "Receive a push of Loki's senders, as JSON or as protobuf packed with snappy",
  '/_bulk': 'Receive a bulk request of Elasticsearch senders; the index names the source',
  '/:index/_bulk': 'Receive a bulk request for one index, which names the source',
  '/services/collector': "Receive events for Splunk's HTTP Event Collector",
  '/services/collector/event': "Receive events for Splunk's HTTP Event Collector",
  '/services/collector/event/1.0': "Receive events for Splunk's HTTP Event Collector",
  '/services/collector/raw': "Receive lines of text for Splunk's HTTP Event Collector",
  '/services/collector/raw/1.0': "Receive lines of text for Splunk's HTTP Event Collector",
  '/api/v2/logs': 'Receive events of Datadog senders',
  '/v1/input/:key': 'Receive events of older Datadog senders, whose token stands in the path',
  '/v1/logs': 'Receive logs over OTLP, as protobuf or JSON',
  '/v1/traces': 'Receive spans over OTLP, as protobuf or JSON',
  '/v1/metrics': 'Receive data points over OTLP, as protobuf or JSON',
  '/api/logs/fluent-bit': "Receive Fluent Bit's http output, whose date is the time",
}

const Event = z.record(z.string(), z.unknown())

const HEC = { status: 200, answer: z.object({ text: z.literal('Success'), code: z.literal(0) }) }
const OTLP = { status: 200, answer: z.object({ partialSuccess: z.record(z.string(), z.string()).optional() }) }

const BULK = {
  status: 200,
  answer: z.object({ took: z.int(), errors: z.boolean(), items: z.array(z.record(z.string(), z.unknown())) }),
}
const DATADOG = { status: 202, answer: z.object({}) }

/** Where the answer is that of another service. */
const ANSWERS: Record<string, Pick<Described, 'status' | 'answer'>> = {
  '/loki/api/v1/push': { status: 204, answer: nothing.answer },
  '/_bulk': BULK,
  '/:index/_bulk': BULK,
  '/services/collector': HEC,
  '/services/collector/event': HEC,
  '/services/collector/event/1.0': HEC,
  '/services/collector/raw': HEC,
  '/services/collector/raw/1.0': HEC,
  '/api/v2/logs': DATADOG,
  '/v1/input/:key': DATADOG,
  '/v1/logs': OTLP,
  '/v1/traces': OTLP,
  '/v1/metrics': OTLP,
}

const LINES = 'application/x-ndjson'
const ANY_JSON = ['application/json', LINES]

/** Content types of bodies that are not only JSON. Addresses that read any type are described with the usual one. */
const PROTOBUF = ['application/json', 'application/x-protobuf']
const BODY_TYPES: Record<string, string[]> = {
  '/api/logs': ANY_JSON,
  '/api/logs/cloud-event': ['application/json', 'application/cloudevents+json', 'application/cloudevents-batch+json'],
  '/api/logs/edge': [...ANY_JSON, 'text/plain'],
  '/api/logs/browser/reports': ['application/json', 'application/reports+json', 'application/csp-report'],
  '/api/logs/vector': ANY_JSON,
  '/api/logs/vercel': ANY_JSON,
  '/api/logs/netlify': ANY_JSON,
  '/api/logs/github': ['application/json', 'application/x-www-form-urlencoded'],
  '/api/logs/fluent-bit': ANY_JSON,
  '/api/logs/syslogs': ['application/logplex-1', 'text/plain'],
  '/api/logs/elixir/logger': ['application/json', 'application/bert'],
  '/loki/api/v1/push': PROTOBUF,
  '/v1/logs': PROTOBUF,
  '/v1/traces': PROTOBUF,
  '/v1/metrics': PROTOBUF,
  '/_bulk': [LINES],
  '/:index/_bulk': [LINES],
  '/services/collector/raw': ['text/plain'],
  '/services/collector/raw/1.0': ['text/plain'],
}

const pieceOf = (path: string): Record<string, z.ZodString> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, z.string()]))

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
      params: z.object(pieceOf(path)),
      query: z.object({ source: z.uuid().optional(), source_name: z.string().optional() }),
      bodyTypes: BODY_TYPES[path],
      body: ANSWERS[path] ? z.unknown() : z.union([z.object({ batch: z.array(Event) }), z.array(Event), Event]),
      ...(ANSWERS[path] ?? { status: 200, answer: z.object({ message: z.literal('Logged!') }) }),
    })
}
