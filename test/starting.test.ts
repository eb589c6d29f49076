/** A start that cannot succeed says why in one sentence on stderr and ends with code 1: no stack trace, nothing half started. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { canMount, mountMemory } from './support/mount.ts'
import { failToStart, startService } from './support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-starting-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function expectRefusal(env: Record<string, string>, words: RegExp): Promise<void> {
  const { code, stderr } = await failToStart(env)
  expect(code, stderr).toBe(1)
  expect(stderr).toMatch(words)
  expect(stderr.trim().split('\n'), stderr).toHaveLength(1)
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+|\berror\b.*\berror\b/i)
}

const data = (name: string): { MILLRACE_DATA: string } => ({ MILLRACE_DATA: join(folder, name) })

test.each([
  ['a port that is no number', { MILLRACE_PORT: 'abc' }, /^MILLRACE_PORT must be a whole number.*"abc"/],
  ['a port out of range', { MILLRACE_PORT: '70000' }, /^MILLRACE_PORT .*65535/],
  ['a host that is none', { MILLRACE_HOST: '203.0.113.77' }, /^MILLRACE_HOST 203.0.113.77 is not an address/],
  [
    'a database of another kind',
    { DATABASE_URL: 'mysql://root@localhost/x' },
    /^DATABASE_URL must look like postgres:/,
  ],
  ['a database address that is none', { DATABASE_URL: 'postgres://[' }, /^DATABASE_URL must look like postgres:/],
  ['a secret key that is too short', { MILLRACE_SECRET_KEY: 'short' }, /^MILLRACE_SECRET_KEY must be 32 bytes/],
  ['too little memory for queries', { MILLRACE_QUERY_MEMORY_MB: '1' }, /^MILLRACE_QUERY_MEMORY_MB .*128/],
  ['a time-out that is none', { MILLRACE_QUERY_TIMEOUT_MS: '-1' }, /^MILLRACE_QUERY_TIMEOUT_MS/],
  ['a limit that is none', { MILLRACE_MAX_UNLOADED_MB: '1.5' }, /^MILLRACE_MAX_UNLOADED_MB/],
  ['a log level that is none', { MILLRACE_LOG_LEVEL: 'loud' }, /^MILLRACE_LOG_LEVEL must be one of/],
])('%s', (_, env, words) => expectRefusal({ ...data('settings'), ...env }, words))

test('a database that nobody serves', () =>
  expectRefusal(
    { ...data('nobody'), DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/x' },
    /^The database of DATABASE_URL cannot be reached/,
  ))

test('a file in place of the data folder', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expectRefusal(data('file'), /data folder .* cannot be written/)
})

test('a data folder whose parent cannot be made', async () => {
  writeFileSync(join(folder, 'parent'), '')
  await expectRefusal(data('parent/data'), /data folder .* cannot be written/)
})

test.skipIf(!canMount())('a data folder on a read-only file system', async () => {
  const mounted = mountMemory(join(folder, 'read-only'), 16)
  try {
    mkdirSync(join(mounted.dir, 'data'))
    execFileSync('mount', ['-o', 'remount,ro', mounted.dir])
    await expectRefusal(data('read-only/data'), /data folder .* cannot be written \(EROFS\)/)
    await expectRefusal(data('read-only/other'), /data folder .* cannot be written \(EROFS\)/)
  } finally {
    mounted.remove()
  }
})

test('a data folder that another service is using, which goes on undisturbed', async () => {
  const first = await startService()
  try {
    await expectRefusal({ MILLRACE_DATA: first.dataDir }, /Another process is using the data folder/)
    expect((await first.fetch('/ready')).status).toBe(200)
  } finally {
    await first.remove()
  }
})

test('a port that is in use', async () => {
  const other = createServer()
  const port = await new Promise<number>((resolve) =>
    other.listen(0, '127.0.0.1', () => {
      const address = other.address()
      resolve(address && typeof address === 'object' ? address.port : 0)
    }),
  )
  try {
    await expectRefusal(
      { ...data('port'), MILLRACE_PORT: String(port) },
      new RegExp(`Port ${port} .* is already in use`),
    )
  } finally {
    other.close()
  }
})
