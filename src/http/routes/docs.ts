/** The description of the API and a page to try it. Everything is served from here; the page asks no other host. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null })\n`

const ONLY_FROM_HERE =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const SHOWN = /(?:swagger-ui\.css|swagger-ui-bundle\.js|favicon-\d+x\d+\.png)$/

export function addDocsRoutes(app: FastifyInstance, { document }: { document(): object }): void {
  let made: object | null = null
  app.get('/api/openapi.json', async () => {
    made ??= document()
    return made
  })

  app.get('/docs', (_request, reply) => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', ONLY_FROM_HERE).send(PAGE)
  })
  app.get('/docs/start.js', (_request, reply) => {
    reply.type('text/javascript; charset=utf-8').send(START)
  })
  app.register(fastifyStatic, {
    root: dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')),
    prefix: '/docs/assets/',
    index: false,
    allowedPath: (path) => SHOWN.test(path),
    maxAge: 86_400_000,
  })
}
