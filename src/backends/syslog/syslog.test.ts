import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../testing/certificates.ts'
import { portOf, startWorld, until } from '../testing.ts'
import { syslog } from './syslog.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Splits what arrives by the lengths in front, as a receiver does. */
function messagesOf(bytes: Buffer): string[] {
  const messages: string[] = []
  let at = 0
  for (let space = bytes.indexOf(' ', at); space >= 0; space = bytes.indexOf(' ', at)) {
    const end = space + 1 + Number(bytes.toString('latin1', at, space))
    if (end > bytes.length) break
    messages.push(bytes.toString('utf8', space + 1, end))
    at = end
  }
  return messages
}

async function startReceiver(tls: TlsOptions | null = null) {
  const connections: Buffer[] = []
  const sockets = new Set<Socket>()
  let isClosing = false
  const onSocket = (socket: Socket): void => {
    const number = connections.push(Buffer.alloc(0)) - 1
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      if (isClosing) return void socket.resetAndDestroy()
      connections[number] = Buffer.concat([connections[number]!, chunk])
    })
  }
  const server: Server = tls ? createTlsServer(tls, onSocket) : createServer(onSocket)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  stops.push(stop)
  const ids = (): string[] =>
    connections.flatMap(messagesOf).map((text) => JSON.parse(text.slice(text.indexOf('{'))).id)
  return {
    port: portOf(server),
    connections,
    ids,
    close(does: boolean) {
      isClosing = does
    },
    hangUp: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

let certificates: Certificates
const pem = (name: string): string => certificates.read(name)
beforeAll(() => {
  certificates = makeCertificates()
})
afterAll(() => certificates.remove())

async function deliver(receiver: { port: number; ids(): string[] }, config: object = {}) {
  const world = await startWorld()
  stops.push(world.stop)
  const source = await world.newSource()
  const backend = await world.newBackend('syslog', { host: '127.0.0.1', port: receiver.port, ...config })
  await world.attach(source, backend)
  const sent = await world.append(source, 120)
  return { world, source, backend, sent }
}

test('events arrive as whole frames, all of them, over one connection', async () => {
  const receiver = await startReceiver()
  const { world, source, sent } = await deliver(receiver)
  await until(() => receiver.ids().length === 120)
  const more = await world.append(source, 700)
  await until(() => receiver.ids().length === 820)
  expect(receiver.ids()).toEqual([...sent, ...more])
  expect(receiver.connections).toHaveLength(1)
})

test('a receiver that resets gets everything once it is well, and so does one that hung up', async () => {
  const receiver = await startReceiver()
  receiver.close(true)
  const { world, source, backend, sent } = await deliver(receiver)
  await until(async () => (await world.delivery.status(backend)).retried >= 2)
  expect(await world.delivery.status(backend)).toMatchObject({ state: 'retrying', delivered: 0, lag_events: 120 })
  receiver.close(false)
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  receiver.hangUp()
  const more = await world.append(source, 5)
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  expect(new Set(receiver.ids())).toEqual(new Set([...sent, ...more]))
})

test('TLS with the right authority works, and shows the client certificate', async () => {
  const server = { key: pem('server.key'), cert: pem('server.pem'), ca: pem('ca.pem') }
  const receiver = await startReceiver({ ...server, requestCert: true, rejectUnauthorized: true })
  const client = { client_cert: pem('client.pem'), client_key: pem('client.key') }
  const { sent } = await deliver(receiver, { tls: true, ca_cert: pem('ca.pem'), ...client })
  await until(() => receiver.ids().length === 120)
  expect(receiver.ids()).toEqual(sent)
})

test('the probe opens a connection and sends nothing', async () => {
  const receiver = await startReceiver()
  const probe = (config: object) => syslog.connect({ ...config }, { timeoutMs: 300 }).probe()
  expect(await probe({ host: '127.0.0.1', port: receiver.port })).toEqual({ ok: true })
  expect(await probe({ host: '127.0.0.1', port: 9 })).toEqual({
    ...{ ok: false, reason: 'unknown_error' },
    message: 'nothing listens at this address and port (ECONNREFUSED)',
  })
  expect(Buffer.concat(receiver.connections)).toHaveLength(0)
})
