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
