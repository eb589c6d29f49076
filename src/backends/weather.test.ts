/** What can be wrong between here and a receiver: the test of the connection and the status say the same, in words. */
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { guard } from './address.ts'
import { settleConfig } from './backends.ts'
import { type Certificates, makeCertificates } from './testing/certificates.ts'
import { portOf, startHttpReceiver, startWorld, TYPES_OVER_HTTP, until } from './testing.ts'

let certificates: Certificates
beforeAll(() => {
  certificates = makeCertificates()
})
afterAll(() => certificates.remove())

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const pem = (file: string): string => certificates.read(file)
const pair = (name: string) => ({ cert: pem(`${name}.pem`), key: pem(`${name}.key`) })

async function listen(kind: 'tcp' | 'tls' | 'https', options: TlsOptions = {}): Promise<number> {
  const sockets = new Set<Socket>()
  const server = { tcp: createServer, tls: () => createTlsServer(options), https: () => createHttpsServer(options) }[
    kind
  ]()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (kind === 'tcp') socket.resume()
  })
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}).resume())
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  )
  return portOf(server)
}

/** A name service of our own: one name leads to where clouds keep credentials. */
const lookup = guard((_host, _options, done) =>
  done(null, [
    { address: '203.0.113.7', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ]),
)

/** What the test and, once events wait, the status say. */
async function weather(type: string, config: object, surroundings: object = {}) {
  const world = await startWorld({ surroundings: { timeoutMs: 1_000, ...surroundings } })
  stops.push(world.stop)
  const source = await world.newSource()
  const backend = await world.newBackend(type, config)
  const probe = await world.delivery.probe(backend)
  await world.attach(source, backend)
  await world.append(source, 2)
  await until(async () => (await world.delivery.status(backend)).retried > 0)
  return { probe, status: await world.delivery.status(backend) }
}

const UNKNOWN_CA = /is not signed by a known authority \(\w+\)/
const trusting = () => ({ tls: true, ca_cert: pem('ca.pem') })

type Case = [string, 'stopped' | 'retrying', RegExp, () => Promise<object>]
const syslogCases: Case[] = [
  [
    'an unknown authority',
    'stopped',
    UNKNOWN_CA,
    async () => ({ port: await listen('tls', pair('server')), tls: true }),
  ],
  [
    'a certificate of the wrong authority',
    'stopped',
    UNKNOWN_CA,
    async () => ({ port: await listen('tls', pair('stranger')), ...trusting() }),
  ],
  [
    'an expired certificate',
    'stopped',
    /has expired \(CERT_HAS_EXPIRED\)/,
    async () => ({ port: await listen('tls', pair('expired')), ...trusting() }),
  ],
  [
    'a certificate for another name',
    'stopped',
    /is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    async () => ({ port: await listen('tls', pair('misnamed')), ...trusting() }),
  ],
  [
    'no client certificate where one is asked for',
    'stopped',
    /asks for a client certificate \(ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED\)/,
    async () => {
      const asking = { ca: pem('ca.pem'), requestCert: true, rejectUnauthorized: true }
      return { port: await listen('tls', { ...pair('server'), ...asking }), ...trusting() }
    },
  ],
  [
    'a client certificate that is refused without a word',
    'retrying',
    /the receiver closed the connection/,
    async () => {
      const asking = { ca: pem('ca.pem'), requestCert: true, rejectUnauthorized: true }
      const client = { client_cert: pem('stranger.pem'), client_key: pem('stranger.key') }
      return { port: await listen('tls', { ...pair('server'), ...asking }), ...trusting(), ...client }
    },
  ],
  [
    'a key that does not belong to the certificate',
    'stopped',
    /client_key does not belong to client_cert/,
    async () => ({ port: 9, ...trusting(), client_cert: pem('client.pem'), client_key: pem('server.key') }),
  ],
  [
    'a receiver that does not speak TLS',
    'retrying',
    /no connection within|does not speak TLS/,
    async () => ({ port: await listen('tcp'), ...trusting() }),
  ],
  ['nothing that listens', 'retrying', /nothing listens at this address and port/, async () => ({ port: 9 })],
  [
    'a name that is not known',
    'retrying',
    /not known to DNS|DNS does not answer/,
    async () => ({ host: 'receiver.invalid', port: 514 }),
  ],
  [
    'a host that cannot be reached',
    'retrying',
    // Some networks answer for hosts that are not there.
    /no connection within|there is no way to|does not answer|nothing listens/,
    async () => ({ host: '192.0.2.1', port: 514 }),
  ],
]

test.each(syslogCases)('syslog: %s (%s)', async (_, state, words, config) => {
  const { probe, status } = await weather('syslog', { host: '127.0.0.1', ...(await config()) })
  expect(probe).toMatchObject({ ok: false, message: expect.stringMatching(words) })
  expect(status).toMatchObject({ state, delivered: 0, lag_events: 2, last_error: expect.stringMatching(words) })
})

test.each(TYPES_OVER_HTTP)('%s: a certificate that nobody knows is named', async (_, type, config) => {
  const port = await listen('https', pair('server'))
  const { probe, status } = await weather(type, config(`https://127.0.0.1:${port}`))
  expect(probe).toMatchObject({ ok: false, reason: 'unknown_error', message: expect.stringMatching(UNKNOWN_CA) })
  expect(status).toMatchObject({ state: 'stopped', lag_events: 2, last_error: expect.stringMatching(UNKNOWN_CA) })
})

test.each(TYPES_OVER_HTTP)('%s: a name that is not known is named', async (_, type, config) => {
  const { probe, status } = await weather(type, config('http://receiver.invalid'))
  const words = /not known to DNS|DNS does not answer/
  expect(probe).toMatchObject({ ok: false, reason: 'unknown_error', message: expect.stringMatching(words) })
  expect(status).toMatchObject({ state: 'retrying', lag_events: 2, last_error: expect.stringMatching(words) })
})

test.each([...TYPES_OVER_HTTP, ['syslog', 'syslog', () => ({ host: 'hidden.example', port: 514 })] as const])(
  '%s: a name that leads to a metadata address gets nothing',
  async (_, type, config) => {
    const { probe, status } = await weather(type, config('http://hidden.example'), { lookup })
    const words = 'hidden.example is or leads to a metadata address, to which nothing is sent'
    expect(probe).toMatchObject({ ok: false, message: words })
    expect(status).toMatchObject({ state: 'stopped', delivered: 0, last_error: words })
  },
)

test.each(TYPES_OVER_HTTP)('%s: a redirect to a metadata address is not followed', async (_, type, config) => {
  const receiver = await startHttpReceiver()
  stops.push(receiver.stop)
  receiver.behave({ status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data/' } })
  const { probe, status } = await weather(type, config(receiver.url))
  const words = 'HTTP 307: no thanks (redirects are not followed)'
  expect(probe).toEqual({ ok: false, reason: 'http_unknown_error', message: words })
  expect(status).toMatchObject({ state: 'stopped', last_error: words })
})

const syslog = { host: 'logs.example.com', port: 6514, tls: true }
test.each<[string, object, Record<string, string[]>]>([
  ['a port that is none', { ...syslog, port: 65_536 }, { 'config.port': [expect.stringMatching(/65535/)] }],
  ['a negative port', { ...syslog, port: -1 }, { 'config.port': [expect.stringMatching(/0/)] }],
  [
    'a key of 16 bytes',
    { ...syslog, cipher_key: Buffer.alloc(16).toString('base64') },
    { 'config.cipher_key': ['must be a base64 encoded 32 byte key'] },
  ],
  ['a metadata address', { ...syslog, host: '169.254.169.254' }, { 'config.host': ['must not be a metadata address'] }],
  ['a mapped metadata address', { ...syslog, host: '::ffff:a9fe:a9fe' }, { 'config.host': [expect.any(String)] }],
])('a config with %s is refused, by field', (_, config, errors) => {
  expect(errorsOf(() => settleConfig('syslog', { ...config }))).toEqual(errors)
})

test('a client certificate needs its key', () => {
  const config = { ...syslog, client_cert: pem('client.pem') }
  expect(errorsOf(() => settleConfig('syslog', config))).toEqual({
    'config.client_key': ['is required with client_cert'],
  })
})

test.each(TYPES_OVER_HTTP)('%s: a metadata address is refused when it is saved', (_, type, config) => {
  const errors = errorsOf(() => settleConfig(type, { ...config('http://169.254.169.254') }))
  expect(Object.values(errors).flat()).toContain('must not target a metadata address')
})

function errorsOf(work: () => unknown): Record<string, string[]> {
  try {
    work()
  } catch (error) {
    if (error instanceof Error && 'errors' in error) return Object(error.errors)
    throw error
  }
  throw new Error('it was not refused')
}
