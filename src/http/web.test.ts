import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../test/support/management.ts'
import { addWebRoutes } from './web.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PAGE = '<!doctype html><meta property="csp-nonce" nonce="MILLRACE_NONCE"><script nonce="MILLRACE_NONCE"></script>'
const SCRIPT = 'console.log(1)\n'.repeat(200)

describe('the web interface', () => {
  let dir: string
  let server: ManagementServer
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'millrace-web-'))
    mkdirSync(join(dir, 'assets'))
    writeFileSync(join(dir, 'index.html'), PAGE)
    writeFileSync(join(dir, 'theme.js'), '// theme')
    writeFileSync(join(dir, 'assets/index-1a2b.js'), SCRIPT)
    writeFileSync(join(dir, 'assets/index-1a2b.js.br'), brotliCompressSync(SCRIPT))
    writeFileSync(join(dir, 'assets/small-3c4d.js'), 'small')
    server = await startManagement([(app) => addWebRoutes(app, { dir })])
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  test.each(['/', '/sources', '/sources/1/search?lql=a', '/login'])('a browser gets the page at %s', async (url) => {
    const { statusCode, headers, body } = await server.app.inject({ url, headers: HTML })
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-cache')
    expect(body).toContain('csp-nonce')
  })

  test('only what is served here may run, nothing may frame the page, and the nonce is never the same', async () => {
    const nonces = new Set<string>()
    for (let visit = 0; visit < 3; visit += 1) {
      const { headers, body } = await server.app.inject({ url: '/', headers: HTML })
      const policy = String(headers['content-security-policy'])
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      expect(policy).toContain("default-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(body).toContain(`nonce="${nonce}"`)
      expect(body).not.toContain('MILLRACE_NONCE')
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' })
      nonces.add(nonce)
    }
    expect(nonces.size).toBe(3)
  })

  test.each(['/api/nothing', '/v1/nothing', '/metrics/x', '/docs/x'])('%s stays a 404 in JSON', async (url) => {
    const { statusCode, body } = await server.app.inject({ url, headers: HTML })
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toHaveProperty('error')
  })

  test('a program that asks for an unknown address is told so in JSON', async () => {
    const { statusCode, body } = await server.app.inject({ url: '/sources', headers: { accept: '*/*' } })
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toEqual({ error: 'There is no GET /sources' })
  })

  test('assets may be kept for a year and travel packed', async () => {
    const { headers, rawPayload } = await server.app.inject({
      url: '/assets/index-1a2b.js',
      headers: { 'accept-encoding': 'gzip, br' },
    })
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    expect(brotliDecompressSync(rawPayload).toString()).toBe(SCRIPT)
    const plain = await server.app.inject({ url: '/assets/index-1a2b.js' })
    expect(plain.body).toBe(SCRIPT)
    const small = await server.app.inject({ url: '/assets/small-3c4d.js', headers: { 'accept-encoding': 'br' } })
    expect(small.body).toBe('small')
  })

  test.each(['/assets/gone-1.js', '/assets/..%2findex.html', '/assets/..%5cindex.html', '/icon.svg'])(
    'what is not there is not served: %s',
    async (url) => {
      const { statusCode, body } = await server.app.inject({ url, headers: HTML })
      expect(statusCode).toBeGreaterThanOrEqual(400)
      expect(body).not.toContain('csp-nonce')
    },
  )
})

test('an interface that was not built says how to build it', async () => {
  const server = await startManagement([(app) => addWebRoutes(app, { dir: join(tmpdir(), 'millrace-never-built') })])
  const { statusCode, body } = await server.app.inject({ url: '/', headers: HTML })
  await server.stop()
  expect(statusCode).toBe(503)
  expect(body).toContain('npm run build')
})
