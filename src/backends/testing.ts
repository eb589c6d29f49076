/** Parts for the tests of this folder: receivers that misbehave on command, and delivery over a real journal. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { systemClock } from '../base/clock.ts'
import { uuid4 } from '../base/ids.ts'
import { openCatalog } from '../catalog/catalog.ts'
import { decodeMessage } from '../ingest/formats/otlp/testing.ts'
import { openJournal } from '../journal/journal.ts'
import type { Source } from '../model/source.ts'
import { settleConfig } from './backends.ts'
import { type DeliveryParts, startDelivery } from './delivery/delivery.ts'

export type Seen = { path: string; headers: IncomingMessage['headers']; body: string; ids: string[] }
/** `accept` and the status numbers answer; the others do not. */
export type Manner = 'accept' | 'hang' | 'close' | number | { status: number; headers: Record<string, string> }

const FEED = '00000000-0000-4000-8000-000000000001'
/** Every type that is spoken over HTTP, by the address of its receiver: the tests that all must pass run over this list. */
export const TYPES_OVER_HTTP: [string, string, (url: string) => object][] = [
  ['webhook', 'webhook', (url) => ({ url })],
  ['elastic beat_http', 'elastic', (url) => ({ url, username: 'u', password: 'p' })],
  ['elastic pipeline_http', 'elastic', (url) => ({ transport: 'pipeline_http', url, gzip: false })],
  ['loki', 'loki', (url) => ({ url: `${url}/loki/api/v1/push` })],
  ['otlp', 'otlp', (url) => ({ endpoint: `${url}/v1/logs` })],
  ['elastic otlp', 'elastic', (url) => ({ transport: 'otlp', endpoint: url, gzip: false })],
  ['datadog', 'datadog', (url) => ({ url, api_key: 'k', region: 'US1' })],
  [
    'security_analytics',
    'security_analytics',
    (url) => ({
      ...{ region: 'us', project_number: '1', instance_id: FEED, feed_id: FEED, api_key: 'k', secret: 's' },
      base_url: url,
    }),
  ],
]

/** As a field of JSON, or as a pair of OTLP. */
const ID = /"id"(?::|,"value":\{"stringValue":)"([0-9a-f-]{36})"/g

export async function startHttpReceiver() {
  /** What was taken, and everything that was sent. */
  const taken: Seen[] = []
  const heard: (Seen & { at: number })[] = []
  let manner: (seen: Seen) => Manner = () => 'accept'
  const server = createServer(async (request, response) => {
    if (manner({ path: '', headers: {}, body: '', ids: [] }) === 'close') return void request.socket.destroy()
    const seen = await read(request)
    heard.push({ ...seen, at: performance.now() })
    answer(seen, manner(seen), response)
  })
  function answer(seen: Seen, how: Manner, response: ServerResponse): void {
    if (how === 'hang') return
    if (how === 'close') return void response.destroy()
    if (how === 'accept') {
      taken.push(seen)
      return void response.writeHead(200).end('{}')
    }
    const { status, headers } = typeof how === 'number' ? { status: how, headers: {} } : how
    response.writeHead(status, headers).end('no thanks')
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    taken,
    heard,
    ids: () => taken.flatMap(({ ids }) => ids),
    behave(how: Manner | ((seen: Seen) => Manner)) {
      manner = typeof how === 'function' ? how : () => how
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  return address.port
}

async function read(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
  const isProtobuf = request.headers['content-type'] === 'application/x-protobuf'
  const body = isProtobuf ? JSON.stringify(decodeMessage('LogsRequest', plain)) : plain.toString('utf8')
  return { path: request.url ?? '', headers: request.headers, body, ids: [...body.matchAll(ID)].map(([, id]) => id!) }
}

/** A catalog, a journal and delivery over both; `restart` is a new process on the same journal. */
export async function startWorld(options: Partial<DeliveryParts> & { segmentBytes?: number } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'backends-'))
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  const errors: unknown[] = []
  const { segmentBytes = 64 * 1024 * 1024, ...own } = options
  const openAll = async () => {
    const journal = await openJournal({ dir, segmentBytes, saveAfterMs: 20 })
    const count = () => ({ value: 0 })
    const delivery = await startDelivery({
      catalog,
      journal,
      journalDir: dir,
      fields: () => ({}),
      clock: systemClock,
      counters: { delivered: count(), retried: count(), refused: count(), dropped: count() },
      onError: (error) => errors.push(error),
      flushAfterMs: 10,
      pace: { firstMs: 20, longestMs: 100 },
      surroundings: { timeoutMs: 300 },
      ...own,
    })
    return { journal, delivery }
  }
  let { journal, delivery } = await openAll()
  let made = 0
  return {
    catalog,
    errors,
    get delivery() {
      return delivery
    },
    get journal() {
      return journal
    },
    newSource: () => catalog.sources.create(account, { name: `source ${++made}`, service_name: 'shop' }),
    newBackend: (type: string, config: object) =>
      catalog.backends.create(account.id, {
        ...{ type, name: type, description: null, metadata: {} },
        config: settleConfig(type, { ...config }),
      }),
    async attach(source: Source, backend: { id: number }) {
      await catalog.backends.attach(source.id, backend.id)
      await delivery.refresh()
    },
    /** Appends events in one frame and answers their ids. */
    async append(source: Source, count: number, event: object = {}, us = 1_712_345_678_901_234): Promise<string[]> {
      const ids = Array.from({ length: count }, uuid4)
      const rows = ids.map((id, i) => JSON.stringify({ id, ts: us + i, e: { event_message: `event ${i}`, ...event } }))
      const body = Buffer.from(`${rows.join('\n')}\n`)
      const [minUs, maxUs] = [us, us + count]
      await journal.append([{ kind: 'events', source: source.token, count, minUs, maxUs, body }])
      return ids
    },
    async restart() {
      await delivery.stop()
      await journal.stop()
      const next = await openAll()
      journal = next.journal
      delivery = next.delivery
    },
    async stop() {
      await delivery.stop()
      await journal.stop()
      await catalog.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export async function until(isTrue: () => boolean | Promise<boolean>, withinMs = 8_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`the condition did not come true within ${withinMs} ms`)
    await wait(10)
  }
}
