/** Senders that speak no HTTP, against the listeners that the guide sets up; their examples are taken from its pages. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { health, newSource } from '../support/dialogue.ts'
import { freePort, type Service, startService, until } from '../support/service.ts'
import { optionAt, sectionAt } from './config.ts'
import { forwardMessage, forwardPing } from './forward.ts'
import { hasPackages, runCommands, runProgram } from './run.ts'
import {
  allSnippets,
  fillIn,
  isForListener,
  LISTENING,
  nameOf,
  type Ports,
  SECURED,
  SECURED_FILES,
  snippetsOf,
} from './snippet.ts'

const TOKEN = 'management-0123456789abcdef'
const RSYSLOGD = '/usr/sbin/rsyslogd'

type Running = { service: Service; source: { name: string; token: string }; ports: Ports }

/** The service with the listeners as the guide sets them up, and this token for what they store. */
async function listening(token: string, which = LISTENING, files = ''): Promise<Running> {
  const ports = Object.fromEntries(await Promise.all(which.map(async ({ port }) => [port, await freePort()])))
  const source = { name: 'shop', token: '' }
  const filling = { url: 'http://127.0.0.1:4000', token, source, ports }
  const settings = which.flatMap(({ page, heading }) =>
    fillIn(textOf(page, heading), filling)
      .replaceAll(SECURED_FILES, files)
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const service = await startService({
    env: { MILLRACE_MANAGEMENT_TOKEN: TOKEN, ...Object.fromEntries(settings) },
    readyWithinMs: 60_000,
  })
  return { service, source: { ...source, token: (await newSource(service, 'shop')).token }, ports }
}

function textOf(page: string, heading: string): string {
  const found = snippetsOf(page).find((snippet) => snippet.heading === heading)
  if (!found) throw new Error(`the guide has no ${page}: ${heading}`)
  return found.text
}

const filled = (page: string, heading: string, { ports, source }: Running): string =>
  fillIn(textOf(page, heading), { url: 'http://127.0.0.1:4000', token: TOKEN, source, ports })

async function storedIn({ service, source }: Running): Promise<Record<string, unknown>[]> {
  const answer: unknown = await (await service.fetch(`/api/sources/${source.token}/recent`)).json()
  return Array.isArray(answer) ? answer : []
}

/** The event with this message, once it is there. */
async function stored(running: Running, message: string): Promise<Record<string, unknown>> {
  const find = async (): Promise<Record<string, unknown> | undefined> =>
    (await storedIn(running)).find(({ event_message }) => event_message === message)
  await until(async () => (await find()) !== undefined)
  return (await find())!
}

/** Runs rsyslogd with the example behind an input of our own, and gives it one message. */
async function throughRsyslog(action: string, message: string, isDone: () => Promise<boolean>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-rsyslog-'))
  const socket = join(folder, 'log')
  writeFileSync(
    join(folder, 'rsyslog.conf'),
    `global(workDirectory="${folder}")\nmodule(load="imuxsock" SysSock.Use="off")\ninput(type="imuxsock" Socket="${socket}" UseSysTimeStamp="off")\n${action}`,
  )
  const rsyslogd = spawn(RSYSLOGD, ['-n', '-f', join(folder, 'rsyslog.conf'), '-i', join(folder, 'pid')], {
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => rsyslogd.once('close', resolve))
  try {
    await until(() => existsSync(socket))
    await runCommands(`logger -u ${socket} --rfc5424 --priority local0.warning --tag checkout "${message}"`, {})
    await until(isDone)
  } finally {
    rsyslogd.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes to a port as a program would that is not here. One that wants an answer gets the first that comes. */
function write(port: number, bytes: string | Buffer, wants: 'an answer' | 'nothing'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1').once('error', reject)
    if (wants === 'nothing') socket.end(bytes, () => resolve(''))
    else socket.once('data', (answer) => socket.end(() => resolve(String(answer)))).write(bytes)
  })
}

/** A program for HTTP with the exporter for gRPC, whose address has no path and whose headers are metadata. */
const overGrpc = (text: string, port: number): string =>
  `import { Metadata } from '@grpc/grpc-js'\n${text}`
    .replaceAll('otlp-proto', 'otlp-grpc')
    .replace(/url: '.*'/, `url: 'http://127.0.0.1:${port}'`)
    .replace(/headers: (\{.*\})/, 'metadata: Metadata.fromHttp2Headers($1)')

const WARNING = { priority: 132, facility: 'local0', severity: 'warning', level: 'warning' }
const TEXTS = (text: string) => ({ message_raw: expect.stringContaining(text), message_text: text })

describe('listeners', () => {
  let running: Running
  beforeAll(async () => {
    running = await listening(TOKEN)
  }, 90_000)
  afterAll(() => running?.service.remove())

  test('syslog: logger (sh) is stored', async () => {
    const ended = await runCommands(filled('syslog', 'logger', running), {})
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, 'paid by card')).toMatchObject({
      timestamp: expect.any(Number),
      metadata: { ...WARNING, appname: 'checkout', ...TEXTS('paid by card'), sd: [{ id: 'timeQuality' }] },
    })
  })

  test('syslog: A source by message (sh) is stored, without what named it', async () => {
    const ended = await runCommands(filled('syslog', 'A source by message', running), {})
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(JSON.stringify(await stored(running, 'paid by name'))).not.toContain('millrace@')
  })

  test.skipIf(!existsSync(RSYSLOGD))('syslog: rsyslog (conf) is stored', async () => {
    const isStored = async (): Promise<boolean> =>
      (await storedIn(running)).some(({ event_message }) => String(event_message).includes('paid by rsyslog'))
    await throughRsyslog(filled('syslog', 'rsyslog', running), 'paid by rsyslog', isStored)
    const event = (await storedIn(running)).find(({ event_message }) => String(event_message).includes('by rsyslog'))
    expect(event).toMatchObject({ metadata: { ...WARNING, hostname: hostname().split('.')[0] } })
  })

  test('syslog: syslog-ng (conf), replayed is stored', async () => {
    const config = filled('syslog', 'syslog-ng', running)
    expect(optionAt(config, 'transport')).toBe('tcp')
    const message = `<132>1 ${new Date().toISOString()} web-1 checkout 42 - - paid by syslog-ng`
    await write(Number(/port\((\d+)\)/.exec(config)?.[1]), `${message.length} ${message}`, 'nothing')
    expect(await stored(running, 'paid by syslog-ng')).toMatchObject({
      metadata: { ...WARNING, hostname: 'web-1', appname: 'checkout', process_id: '42' },
    })
  })

  test.skipIf(!hasPackages)('syslog: syslog-client (js) is stored', async () => {
    const ended = await runProgram(filled('syslog', 'syslog-client', running), {})
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, 'paid by client')).toEqual({
      id: expect.any(String),
      timestamp: expect.any(Number),
      event_message: 'paid by client',
      metadata: {
        ...WARNING,
        hostname: 'web-1',
        appname: 'checkout',
        process_id: expect.any(String),
        ...TEXTS('paid by client'),
      },
    })
  })

  test.skipIf(!hasPackages)('syslog: syslog-client over UDP (js) is stored', async () => {
    const ended = await runProgram(filled('syslog', 'syslog-client over UDP', running), {})
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, 'paid by datagram')).toMatchObject({
      metadata: { facility: 'local0', level: 'error', hostname: 'web-1' },
    })
  })

  test.skipIf(!hasPackages)('fluentd: fluent-logger (js) is stored, and acknowledged', async () => {
    const ended = await runProgram(filled('fluentd', 'fluent-logger', running), {})
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, 'paid')).toMatchObject({ amount: 12, timestamp: expect.any(Number) })
  })

  test.each([
    ['fluentd', 'The forward output', 'conf'],
    ['fluent-bit', 'The forward output', 'ini'],
  ])('%s: %s (%s), replayed is stored, and acknowledged', async (page, heading) => {
    const config = filled(page, heading, running)
    expect(sectionAt(config, 'require_ack_response')).toBe('true')
    const answer = await write(
      Number(sectionAt(config, 'port')),
      forwardMessage('app.orders', { message: `forwarded by ${page}` }, 'chunk1'),
      'an answer',
    )
    expect(answer).toContain('chunk1')
    expect(await stored(running, `forwarded by ${page}`)).toMatchObject({ timestamp: expect.any(Number) })
  })

  const OTLP = { event_message: 'paid over gRPC', attributes: { amount: 12 }, metadata: { type: 'otel_log' } }

  test.skipIf(!hasPackages)('opentelemetry: Logs from Node over gRPC (js) is stored', async () => {
    const ended = await runProgram(filled('opentelemetry', 'Logs from Node over gRPC', running), {
      MILLRACE_TOKEN: TOKEN,
    })
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, 'paid over gRPC')).toMatchObject(OTLP)
  })

  test.skipIf(!hasPackages).each([
    ['Traces from Node', 'pay', { kind: 'Server', attributes: { amount: 12 } }],
    ['Metrics from Node', 'orders', { value: 3, attributes: { branch: 'north' } }],
  ])('opentelemetry: %s (js), over gRPC is stored', async (heading, message, expected) => {
    const text = filled('opentelemetry', heading, running)
    const ended = await runProgram(overGrpc(text, running.ports['4317']!), { MILLRACE_TOKEN: TOKEN })
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, message)).toMatchObject(expected)
  })

  /** What these settings mean to an SDK or the Collector: the address, and metadata. */
  test.skipIf(!hasPackages).each([
    ['Any SDK over gRPC', 'text'],
    ['The Collector over gRPC', 'yaml'],
  ])('opentelemetry: %s (%s), replayed is stored', async (heading) => {
    const config = filled('opentelemetry', heading, running).replace(/\$\{env:MILLRACE_TOKEN\}/, TOKEN)
    const address = /(?:http:\/\/)?(127\.0\.0\.1:\d+)/.exec(config)?.[1] ?? ''
    const key = /x-api-key(?:=|: ")([^,"]+)/.exec(config)?.[1] ?? ''
    const source = /x-source(?:=|: )(\w+)/.exec(config)?.[1] ?? ''
    const text = filled('opentelemetry', 'Logs from Node over gRPC', running)
      .replace(/127\.0\.0\.1:\d+/, address)
      .replace("'shop'", JSON.stringify(source))
      .replace('paid over gRPC', `paid as ${heading}`)
    const ended = await runProgram(text, { MILLRACE_TOKEN: key })
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, `paid as ${heading}`)).toMatchObject({ attributes: { amount: 12 } })
  })

  test.skipIf(!hasPackages)(
    'opentelemetry: Logs from Node over gRPC (js) shows that a wrong token was refused',
    async () => {
      const text = filled('opentelemetry', 'Logs from Node over gRPC', running).replace('paid over gRPC', 'not paid')
      const { said } = await runProgram(text, { MILLRACE_TOKEN: 'wrong-token-0123456789abcdef' })
      expect(said).toMatch(/UNAUTHENTICATED|Unauthorized/)
      expect((await storedIn(running)).filter(({ event_message }) => event_message === 'not paid')).toEqual([])
    },
  )
})

describe('the listener with TLS, a shared key and users', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-forward-'))
  let running: Running
  beforeAll(async () => {
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'].concat(
        ['-subj', '/CN=logs', '-addext', 'subjectAltName=IP:127.0.0.1'],
        ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
      ),
      { stdio: 'ignore' },
    )
    running = await listening(TOKEN, [SECURED], folder)
  }, 90_000)
  afterAll(async () => {
    await running?.service.remove()
    rmSync(folder, { recursive: true })
  })
  const here = (heading: string): string => filled('fluentd', heading, running).replaceAll(SECURED_FILES, folder)

  test.skipIf(!hasPackages)('fluentd: fluent-logger over TLS (js) is stored, and acknowledged', async () => {
    const ended = await runProgram(here('fluent-logger over TLS'), {})
    expect(ended).toMatchObject({ code: 0, complaints: '' })
    expect(await stored(running, 'paid in secret')).toMatchObject({ amount: 12, tag: 'checkout.orders' })
  })

  test.skipIf(!hasPackages).each([
    ['key', /key-of-all-senders/, 'the shared key is another'],
    ['password', /password-of-checkout/, 'the user name or the password is wrong'],
    ['user', /username: 'checkout'/, 'the user name or the password is wrong'],
  ])('fluentd: fluent-logger over TLS (js) with another %s is told why it is refused', async (_, right, reason) => {
    const text = here('fluent-logger over TLS').replace('paid in secret', 'not let in').replace(right, (found) => found.replace(/\w+(?='?$)/, 'wrong')) // biome-ignore format: one line
    const { complaints } = await runProgram(text, {})
    expect(complaints).toContain(reason)
    expect((await storedIn(running)).filter(({ event_message }) => event_message === 'not let in')).toEqual([])
  })

  test('fluentd: The forward output over TLS (conf), replayed is stored, and acknowledged', async () => {
    const config = here('The forward output over TLS')
    const at = (name: string): string => sectionAt(config, name)
    expect(at('transport')).toBe('tls')
    const known = { key: at('shared_key'), user: at('username'), password: at('password') }
    const socket = connectSecurely({
      port: Number(at('port')),
      host: at('host'),
      ca: readFileSync(at('tls_cert_path')),
    })
    const answer = async (): Promise<Buffer> => (await once(socket, 'data'))[0]
    socket.write(forwardPing(await answer(), known))
    expect((await answer()).toString('latin1')).toContain('PONG')
    socket.write(forwardMessage('app.orders', { message: 'forwarded over TLS' }, 'chunk7'))
    expect((await answer()).toString('latin1')).toContain('chunk7')
    socket.end()
    expect(await stored(running, 'forwarded over TLS')).toMatchObject({ tag: 'app.orders' })
  })
})

test('no example for a listener is left out', () => {
  expect(allSnippets().filter(isForListener).map(nameOf)).toEqual([
    'fluent-bit: The forward output (ini)',
    'fluentd: The listener (text)',
    'fluentd: The forward output (conf)',
    'fluentd: fluent-logger (js)',
    'fluentd: The listener with TLS, a shared key and users (text)',
    'fluentd: The forward output over TLS (conf)',
    'fluentd: fluent-logger over TLS (js)',
    'opentelemetry: The listener for gRPC (text)',
    'opentelemetry: Any SDK over gRPC (text)',
    'opentelemetry: Logs from Node over gRPC (js)',
    'opentelemetry: The Collector over gRPC (yaml)',
    'syslog: The listener (text)',
    'syslog: logger (sh)',
    'syslog: A source by message (sh)',
    'syslog: rsyslog (conf)',
    'syslog: syslog-ng (conf)',
    'syslog: syslog-client (js)',
    'syslog: syslog-client over UDP (js)',
  ])
})

test('with a wrong token nothing is stored, and those who wait for an answer notice', async () => {
  const running = await listening('wrong-token-0123456789abcdef')
  try {
    await runCommands(filled('syslog', 'logger', running), {})
    if (hasPackages) {
      const ended = await runProgram(filled('fluentd', 'fluent-logger', running).replace('5000', '500'), {})
      expect(ended.complaints).toMatch(/ack/i)
    }
    await until(async () => JSON.stringify(await health(running.service)).match(/"refused":[1-9]/) !== null)
    expect(await storedIn(running)).toEqual([])
  } finally {
    await running.service.remove()
  }
})
