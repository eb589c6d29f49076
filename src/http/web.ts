/**
 * Serves the web interface from the folder it was built into.
 *
 * Promises: files are read from disk and never held; assets carry a hash in their names and may be kept forever; every
 * page comes with a policy that lets the browser run and load only what is served here. A browser that asks for an
 * address of the interface gets its page; every other unknown address stays a 404 in JSON.
 * Refuses: to be framed by other sites.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const YEAR_MS = 365 * 86_400_000
const NONCE_PLACE = /MILLRACE_NONCE/g

/** First parts of paths that belong to programs: a browser that asks for an unknown one is told so, not shown a page. */
const NOT_PAGES = new Set([
  'api',
  'v1',
  'docs',
  'health',
  'ready',
  'metrics',
  'assets',
  'logs',
  'loki',
  'services',
  'mcp',
])

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Millrace</title></head>
<body>
<h1>The web interface is not built</h1>
<p>Run <code>npm run build</code> and load this page again. The service itself runs:
see <a href="/docs">its HTTP interface</a>.</p>
</body>
</html>
`

export function addWebRoutes(app: FastifyInstance, { dir }: { dir: string }): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin')
    done()
  })

  if (existsSync(join(dir, 'assets'))) {
    app.register(fastifyStatic, {
      root: join(dir, 'assets'),
      prefix: '/assets/',
      index: false,
      decorateReply: false,
      preCompressed: true,
      immutable: true,
      maxAge: YEAR_MS,
    })
  }

  for (const [name, type] of [
    ['theme.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ] as const) {
    app.get(`/${name}`, async (_request, reply) => {
      const bytes = await readOrNull(join(dir, name))
      return bytes ? reply.type(type).header('cache-control', 'max-age=3600').send(bytes) : reply.callNotFound()
    })
  }

  async function showPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isPage(request)) {
      reply.callNotFound()
      return reply
    }
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').header('vary', 'accept')
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policyOf(nonce))
    const page = await readOrNull(join(dir, 'index.html'))
    if (page === null) return reply.code(503).send(NOT_BUILT)
    return reply.send(page.toString().replace(NONCE_PLACE, nonce))
  }
  app.get('/', showPage)
  app.get('/*', showPage)
}

function isPage({ url, headers }: FastifyRequest): boolean {
  const [path = '/'] = url.split('?', 1)
  return !NOT_PAGES.has(path.split('/', 2)[1] ?? '') && (headers.accept ?? '').includes('text/html')
}

/** Style elements are allowed with the nonce only: editors and dialogs make some while they run. */
const policyOf = (nonce: string): string =>
  `default-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; object-src 'none'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

async function readOrNull(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
