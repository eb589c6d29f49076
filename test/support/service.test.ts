import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startService } from './service.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-support-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function program(text: string): string[] {
  const path = join(folder, `program-${text.length}.mjs`)
  writeFileSync(path, text)
  return [path]
}

const stand = `
import { createServer } from 'node:http'
console.log('Management token (shown once): tok_0123456789abcdef')
const { MILLRACE_PORT, MILLRACE_HOST, MILLRACE_DATA } = process.env
createServer((request, answer) => answer.end(JSON.stringify({ url: request.url, data: MILLRACE_DATA, sent: request.headers.authorization })))
  .listen(MILLRACE_PORT, MILLRACE_HOST)
process.on('SIGTERM', () => process.exit(7))
`

test('a started service is ready, named by address and token, and leaves nothing behind', async () => {
  const service = await startService({ program: program(stand) })
  const answer = await (await service.fetch('/hello')).json()
  expect(answer).toEqual({ url: '/hello', data: service.dataDir, sent: 'Bearer tok_0123456789abcdef' })
  const [url, pid] = [service.url, service.pid]
  await service.restart('SIGKILL')
  expect(service.url).toBe(url)
  expect(service.pid).not.toBe(pid)
  expect(await service.kill('SIGTERM')).toBe(7)
  await service.remove()
  expect(existsSync(service.dataDir)).toBe(false)
})

test('a service that ends while starting is an error that carries what it said', async () => {
  const broken = startService({ program: program('console.error("the disk is on fire"); process.exit(1)') })
  await expect(broken).rejects.toThrow('the disk is on fire')
})
