/** The ingest lane on a port of its own, over a catalog and a journal in memory. */
import { createServer } from 'node:http'
import { createAccess } from '../../access/access.ts'
import { createBuffers } from '../../base/buffers.ts'
import { systemClock } from '../../base/clock.ts'
import { openCatalog } from '../../catalog/catalog.ts'
import { createQuotas } from '../../ingest/quotas.ts'
import { asStored, createTrial } from '../../ingest/testing.ts'
import { createIngestLane } from './lane.ts'

export type Answer = { status: number; headers: Headers; text: string; json: unknown }

export async function startLane({ vercelSecret = null }: { vercelSecret?: string | null } = {}) {
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  const access = createAccess({ catalog, clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  const { value: token } = await catalog.tokens.create(account.id, { scopes: 'ingest' })
  const source = await catalog.sources.create(account, { name: 'app' })
  const other = await catalog.sources.create(account, { name: 'web' })
  const trial = createTrial()
  for (const { token } of [source, other]) trial.schemas.of(token, {})
  const errors: unknown[] = []
  const lane = createIngestLane({
    access,
    accept: trial.accept,
    vercelSecret,
    quotas: createQuotas({ rates: trial.rates }),
    buffers: createBuffers({ keepBytes: 0 }),
    assertOpen: () => {},
    onError: (error) => void errors.push(error),
  })
  const server = createServer((request, response) => {
    if (!lane(request, response)) response.writeHead(404).end('not of the lane')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}`

  return {
    url,
    token,
    source,
    other,
    errors,
    async call(
      method: string,
      path: string,
      body: string | Buffer | null = null,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const answer = await fetch(url + path, { method, body: body === null ? null : Buffer.from(body), headers })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') && text !== ''
      return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null }
    },
    /** What is stored in a source, in order. */
    stored: ({ token }: { token: string } = source) => trial.rows(token).map(asStored),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await access.stop()
      await catalog.stop()
    },
  }
}
