/** An HTTP server for tests that keeps the JSON it is sent, by path, and refuses what it is told to. */
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

/** Of every shape; looking into them is what the tests are for. */
type Json = ReturnType<typeof JSON.parse>

export type Receiver = {
  url: string
  taken(path: string): Json[]
  /** Answers this status on that path from now on; null takes everything again. */
  refuse(path: string, status: number | null): void
  stop(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const bodies = new Map<string, Json[]>()
  const refused = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    const status = refused.get(path)
    if (status !== undefined) return void response.writeHead(status).end('not now')
    const bytes = Buffer.concat(chunks)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
    bodies.set(path, [...(bodies.get(path) ?? []), JSON.parse(text)])
    response.writeHead(200).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    taken: (path) => bodies.get(path) ?? [],
    refuse(path, status) {
      if (status === null) refused.delete(path)
      else refused.set(path, status)
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
