/** The built `millrace` command, used as people and scripts use it, against a running service. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandEnv, MAIN, millrace } from './support/millrace.ts'
import { freePort, type Service, startService, until } from './support/service.ts'

let service: Service
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'))
  service = await startService()
})
afterAll(async () => {
  await service.remove()
  rmSync(folder, { recursive: true, force: true })
})

const run = (args: string[], input = '') => millrace(args, { service, input })

type Json = ReturnType<typeof JSON.parse>
const json = async (args: string[], input = ''): Promise<Json> =>
  JSON.parse((await run([...args, '--json'], input)).stdout)
const lines = async (args: string[]): Promise<Json[]> =>
  (await run([...args, '--json'])).stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('wrong use', () => {
  test.each([
    [['serch', 'x'], 2, 'Did you mean `millrace search`?'],
    [['frobnicate'], 2, '`millrace help` lists all commands'],
    [['search'], 2, 'Usage: millrace search <source> [lql]'],
    [['search', 'x', '--limt', '3'], 2, 'Did you mean --limit?'],
    [['search', 'x', '--limit', 'many'], 2, '--limit must be a whole number'],
    [['sources', 'lst'], 2, 'Did you mean list?'],
    [['sources', 'show', 'nothing'], 1, 'There is no source "nothing"'],
  ])('%j ends with %i and advice', async (args, code, words) => {
    const ended = await run(args)
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain(words)
    expect(ended.stdout).toBe('')
  })

  test('a service that is not there is named with the address that was tried', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, stderr } = await millrace(['sources', '--url', url])
    expect(code).toBe(3)
    expect(stderr).toContain(`${url} cannot be reached: nobody listens there`)
    expect(stderr).toContain('--url')
  })

  test('no token and a wrong one end with 4', async () => {
    expect(await millrace(['sources', '--url', service.url])).toMatchObject({ code: 4 })
    expect(await millrace(['sources', '--url', service.url, '--token', 'wrong'])).toMatchObject({ code: 4 })
  })
})

test('events go in by lines, and out by search, query, tail and export, and into another source without doubles', async () => {
  const input = [
    'plain text',
    '{"id":"one","message":"json","metadata":{"level":"error","n":9007199254740993}}',
    '',
  ].join('\n')
  expect(await json(['send', 'app', '--create'], input)).toEqual({ sent: 2, refused: 0 })
  expect(await lines(['search', 'app', 'm.level:error'])).toMatchObject([{ id: 'one', event_message: 'json' }])
  const sql =
    'select event_message from `app` where timestamp > timestamp_sub(current_timestamp(), interval 1 hour) order by event_message'
  expect(await json(['query', sql])).toEqual([{ event_message: 'json' }, { event_message: 'plain text' }])
  expect((await run(['query', sql, '-f', 'csv'])).stdout).toBe('event_message\r\njson\r\nplain text\r\n')
  expect((await run(['query', sql])).stdout).toBe('event_message\n─────────────\njson\nplain text\n')

  const many = [...Array(2500).keys()].map((n) => ({
    id: `m${n}`,
    message: `event ${n}`,
    deep: { n, day: '2026-11-15' },
  }))
  writeFileSync(join(folder, 'many.json'), JSON.stringify(many))
  expect(await json(['send', 'app', '--array', join(folder, 'many.json')])).toEqual({ sent: 2500, refused: 0 })

  const dir = join(folder, 'export')
  expect(await json(['export', 'app', dir, '--file-events', '1000'])).toMatchObject({ events: 2502, files: 3 })
  expect(await json(['import', dir, 'copy', '--create'])).toEqual({ sent: 2502, skipped: 0, refused: 0 })
  expect(await json(['import', dir, 'copy'])).toEqual({ sent: 0, skipped: 2502, refused: 0 })
  const [before, after] = [await lines(['search', 'app', '-n', '5000']), await lines(['search', 'copy', '-n', '5000'])]
  const byId = (events: Json[]) => new Map(events.map((event) => [event.id, event]))
  expect(byId(after)).toEqual(byId(before))
}, 120_000)

test('refused events are told of, the others are stored, and the exit code says so', async () => {
  const { code, stdout, stderr } = await run(['send', 'partly', '--create'], '{"a":[[1]]}\nfine\n')
  expect(code).toBe(1)
  expect(stderr).toContain('array of arrays')
  expect(stdout).toBe('1 events are stored, 1 were refused.\n')
})

test('tail goes on where it was after the service came back', { timeout: 120_000 }, async () => {
  await run(['sources', 'create', 'watched'])
  const args = [MAIN, 'tail', 'watched', '--json', '-n', '4']
  const child = spawn(process.execPath, args, { env: commandEnv({ service }), stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const seen = (): string[] =>
    printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).event_message)
  // The first events may come before the tail is open.
  await until(async () => {
    await run(['send', 'watched'], 'begin\n')
    return seen().length > 0
  })
  await service.restart('SIGKILL')
  const missing = 4 - seen().length
  const texts = [...Array(missing).keys()].map((n) => `after ${n}`)
  await run(['send', 'watched'], texts.join('\n'))
  expect(await ended).toBe(0)
  expect(seen().slice(-missing)).toEqual(texts)
})

test('login remembers address and token for its owner only, and logout forgets them', async () => {
  const env = { MILLRACE_CONFIG: join(folder, 'config.json') }
  const input = `${service.managementToken}\n`
  expect(await millrace(['login', '--url', service.url], { env, input: 'wrong\n' })).toMatchObject({ code: 4 })
  expect(await millrace(['login', '--url', service.url], { env, input })).toMatchObject({ code: 0 })
  expect(statSync(env.MILLRACE_CONFIG).mode & 0o777).toBe(0o600)
  expect(await millrace(['sources'], { env })).toMatchObject({ code: 0 })
  expect(await millrace(['logout'], { env })).toMatchObject({ code: 0 })
})

test('records are made, changed, shown and deleted; deleting wants to be meant', async () => {
  expect(await json(['sources', 'create', 'shop', '-s', 'retention_days=3'])).toMatchObject({ retention_days: 3 })
  expect(await json(['sources', 'update', 'shop', '-s', 'retention_days=5'])).toMatchObject({ retention_days: 5 })
  expect(await run(['sources', 'delete', 'shop'])).toMatchObject({ code: 2 })
  expect(await run(['sources', 'delete', 'shop', '--yes'])).toMatchObject({ code: 0 })
  const { id, token } = await json(['tokens', 'create', 'web'])
  expect(token).toMatch(/^mr_/)
  expect(await run(['tokens', 'delete', String(id), '-y'])).toMatchObject({ code: 0 })
  const sql = 'select @n as n'
  expect(await json(['endpoints', 'create', 'echo', '-q', sql])).toMatchObject({ parameters: ['n'] })
  expect(await json(['endpoints', 'run', 'echo', '-p', 'n=7'])).toHaveLength(1)
})

test('a new password works at once, and the old one no longer', async () => {
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const email = 'ada@example.com'
  const made = await post('/api/setup', { email, name: 'Ada', password: 'first password' })
  expect(made.status).toBeLessThan(300)
  const env = { MILLRACE_DATA: service.dataDir }
  const ended = await millrace(['reset-password', email], { env, input: 'second password\n' })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect((await post('/api/session', { email, password: 'second password' })).ok).toBe(true)
  expect((await post('/api/session', { email, password: 'first password' })).status).toBe(401)
  expect(await millrace(['reset-password', 'nobody@example.com', '--generate'], { env })).toMatchObject({ code: 1 })
})

describe('doctor', () => {
  test('a healthy service has no problems', async () => {
    const env = { MILLRACE_DATA: service.dataDir, MILLRACE_PORT: new URL(service.url).port }
    const { code, stdout } = await millrace(['doctor', '--deep', '--json'], { service, env })
    expect(JSON.parse(stdout).filter(({ state }: Json) => state === 'problem')).toEqual([])
    expect(code).toBe(0)
  })

  test('it names what is wrong and how to mend it', async () => {
    const env = {
      MILLRACE_DATA: join(folder, 'none'),
      MILLRACE_SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
      MILLRACE_MAIL_FROM: 'logs@example.com',
      MILLRACE_PORT: String(await freePort()),
    }
    const { code, stdout } = await millrace(['doctor'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ mail .*does not answer/)
    expect(stdout).toContain('→ Start it, or correct MILLRACE_SMTP_URL.')
  })

  test('settings that cannot be read are a problem too', async () => {
    const { code, stdout } = await millrace(['doctor', '--json'], { env: { MILLRACE_PORT: 'x' } })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)[0]).toMatchObject({ check: 'settings', state: 'problem' })
  })
})

test.each(['bash', 'zsh', 'fish'])('the completion for %s knows commands and options', async (shell) => {
  const { code, stdout } = await run(['completion', shell])
  expect(code).toBe(0)
  expect(stdout).toContain('reset-password')
  expect(stdout).toMatch(/retries/)
})

test('help and version', async () => {
  expect((await run(['help'])).stdout).toContain('millrace help <command>')
  expect((await run(['send', '--help'])).stdout).toContain('Usage: millrace send <source>')
  expect((await run(['--version'])).stdout).toMatch(/^millrace \d+\.\d+\.\d+/)
})
