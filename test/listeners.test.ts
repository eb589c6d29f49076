/** Listeners of the running service: what their senders sent is found by a query, and a stop loses nothing. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { decode, encode } from '@msgpack/msgpack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failToStart, freePort, type Service, startService, until } from './support/service.ts'

const TOKEN = 'listeners-management-token-0123456789'
const folder = mkdtempSync(join(tmpdir(), 'millrace-keys-'))
const keyFile = join(folder, 'key.pem')
const certFile = join(folder, 'cert.pem')

let service: Service
let syslogPort: number
let tlsPort: number
let forwardPort: number

beforeAll(async () => {
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'].concat([
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      keyFile,
      '-out',
      certFile,
    ]),
    { stdio: 'ignore' },
  )
  ;[syslogPort, tlsPort, forwardPort] = [await freePort(), await freePort(), await freePort()]
  service = await startService({
    env: {
      MILLRACE_MANAGEMENT_TOKEN: TOKEN,
      MILLRACE_SYSLOG_PORT: String(syslogPort),
      MILLRACE_SYSLOG_TLS_PORT: String(tlsPort),
      MILLRACE_SYSLOG_TLS_CERT: certFile,
      MILLRACE_SYSLOG_TLS_KEY: keyFile,
      MILLRACE_SYSLOG_TLS_CLIENT_CA: certFile,
      MILLRACE_SYSLOG_TOKEN: TOKEN,
      MILLRACE_SYSLOG_SOURCE: 'devices',
      MILLRACE_FORWARD_PORT: String(forwardPort),
      MILLRACE_FORWARD_TOKEN: TOKEN,
      MILLRACE_FORWARD_TAGS: 'app.*=apps',
    },
  })
  for (const name of ['devices', 'apps'])
    await service.fetch('/api/sources', {
      method: 'POST',
      body: JSON.stringify({ name }),
      headers: { 'content-type': 'application/json' },
    })
}, 60_000)

afterAll(async () => {
  await service?.remove()
  rmSync(folder, { recursive: true })
})

async function count(source: string, text: string): Promise<number> {
  const sql = `select count(*) as n from \`${source}\` where timestamp > timestamp_sub(current_timestamp(), interval 1 day) and event_message like '${text}%'`
  const answer = await (await service.fetch(`/api/query?sql=${encodeURIComponent(sql)}`)).text()
  return Number(JSON.parse(answer).result[0].n)
}

const received = async (): Promise<number> => JSON.parse(await (await service.fetch('/health')).text()).syslog.received

const message = (text: string): string => `<134>1 ${new Date().toISOString()} host app - - - ${text}\n`

test('syslog over TCP and UDP', async () => {
  connect(syslogPort, '127.0.0.1').end(message('by tcp'))
  const socket = createSocket('udp4')
  socket.send(message('by udp'), syslogPort, '127.0.0.1', () => socket.close())
  await until(async () => (await count('devices', 'by tcp')) === 1 && (await count('devices', 'by udp')) === 1)
})

const hasLogger = spawnSync('logger', ['--version']).status === 0

test.skipIf(!hasLogger)('logger(1), in every way it can send', async () => {
  const ways = [['--tcp'], ['--udp'], ['--tcp', '--octet-count'], ['--tcp', '--rfc3164'], ['--tcp', '--rfc5424']]
  for (const [i, way] of ways.entries())
    execFileSync('logger', ['--server', '127.0.0.1', '--port', String(syslogPort), ...way, `by logger ${i}`])
  await until(async () => (await count('devices', 'by logger')) === ways.length)
})

test('syslog over TLS, for senders that have a certificate', async () => {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)]
  const options = { port: tlsPort, host: '127.0.0.1', servername: 'localhost', ca: cert }
  connectSecurely({ ...options, cert, key }).end(message('by tls'))
  await until(async () => (await count('devices', 'by tls')) === 1)
  const stranger = connectSecurely(options)
  stranger.on('error', () => {})
  stranger.write(message('by a stranger'))
  await new Promise((resolve) => stranger.once('close', resolve))
  expect(await count('devices', 'by a stranger')).toBe(0)
})

test('a forwarded chunk is acknowledged and found', async () => {
  const socket = connect(forwardPort, '127.0.0.1')
  socket.write(encode(['app.web', [[Math.floor(Date.now() / 1000), { message: 'forwarded' }]], { chunk: 'c1' }]))
  const [said] = await once(socket, 'data')
  expect(decode(said)).toEqual({ ack: 'c1' })
  expect(await count('apps', 'forwarded')).toBe(1)
  socket.destroy()
})

test('health and metrics tell of them', async () => {
  const health = JSON.parse(await (await service.fetch('/health')).text())
  expect(health.syslog).toMatchObject({ shed: 0, lost: 0 })
  expect(health.forward).toMatchObject({ received: 1, refused: 0 })
  const metrics = await (await service.fetch('/metrics')).text()
  for (const name of [
    'millrace_syslog_shed_total',
    'millrace_syslog_received_total',
    'millrace_forward_received_total',
  ])
    expect(metrics).toContain(`\n${name} `)
})

test('what was received before a stop is there after it', async () => {
  const socket = connect(syslogPort, '127.0.0.1')
  await once(socket, 'connect')
  const before = await received()
  for (let i = 0; i < 1000; i++) socket.write(message(`last ${i}`))
  await until(async () => (await received()) === before + 1000)
  await service.restart()
  expect(await count('devices', 'last')).toBe(1000)
})

test.each([
  ['MILLRACE_SYSLOG_TLS_CERT', { MILLRACE_SYSLOG_TLS_PORT: '0' }],
  ['MILLRACE_FORWARD_TOKEN', { MILLRACE_FORWARD_PORT: '0' }],
  ['MILLRACE_FORWARD_TLS_CERT', { MILLRACE_FORWARD_TLS_PORT: '0', MILLRACE_FORWARD_TOKEN: 't' }],
  ['MILLRACE_FORWARD_SHARED_KEY', { MILLRACE_FORWARD_PORT: '0', MILLRACE_FORWARD_USERS: 'a=b' }],
  ['pair 2', { MILLRACE_FORWARD_PORT: '0', MILLRACE_FORWARD_USERS: 'a=b,secret' }],
  ['MILLRACE_FORWARD_TAGS', { MILLRACE_FORWARD_PORT: '0', MILLRACE_FORWARD_TOKEN: 't', MILLRACE_FORWARD_TAGS: 'a' }],
])('a start without a usable %s says so', async (name, env) => {
  const { code, stderr } = await failToStart(env)
  expect(code).toBe(1)
  expect(stderr).toContain(name)
})
