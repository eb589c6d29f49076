/** The guides, as the build made them a site: files and nothing else. Its pages may load only what lies beside them. */
import { existsSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const ONLY_FROM_HERE =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'"

export function addGuideRoutes(app: FastifyInstance, { dir }: { dir: string }): void {
  if (!existsSync(dir)) return
  app.addHook('onRequest', (_request, reply, done) => {
    reply
      .header('content-security-policy', ONLY_FROM_HERE)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
    done()
  })
  // The slash matters: links of the pages are relative.
  app.get('/docs/guide', (_request, reply) => reply.redirect('/docs/guide/', 301))
  app.register(fastifyStatic, { root: dir, prefix: '/docs/guide/', decorateReply: false, cacheControl: false })
}
