/** Real receivers read the frames and take them apart as they were meant. Skipped where one is not installed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../testing/certificates.ts'
import { DAEMONS, type Security, startDaemon } from '../testing/daemons.ts'
import { startWorld, until } from '../testing.ts'

let certificates: Certificates
beforeAll(() => {
  certificates = makeCertificates()
})
afterAll(() => certificates.remove())

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(name: string, security: Security, config: object = {}) {
  const daemon = await startDaemon(name, security, certificates)
  const world = await startWorld({ surroundings: { timeoutMs: 5_000 } })
  stops.push(daemon.stop, world.stop)
  const source = await world.newSource()
  const backend = await world.newBackend('syslog', { host: 'localhost', port: daemon.port, ...config })
  await world.attach(source, backend)
  return { daemon, world, source, backend }
}

const tls = () => ({ tls: true, ca_cert: certificates.read('ca.pem') })
const client = (name: string) => ({
  client_cert: certificates.read(`${name}.pem`),
  client_key: certificates.read(`${name}.key`),
})

const ways: [Security, () => object][] = [
  ['plain', () => ({})],
  ['tls', tls],
  ['mutual tls', () => ({ ...tls(), ...client('client') })],
]

describe.each(Object.entries(DAEMONS))('%s', (name, { isThere }) => {
  test.skipIf(!isThere()).each(ways)(
    '%s: every event arrives, with all its parts in place',
    async (security, config) => {
      const structured = '[a@1 b="c"]'
      const { daemon, world, source, backend } = await start(name, security, {
        ...config(),
        structured_data: structured,
      })
      expect(await world.delivery.probe(backend)).toEqual({ ok: true })
      const metadata = { level: 'warn', host: 'web 1', app_name: 'Store Front', procid: 7 }
      const sent = await world.append(source, 2_600, { metadata, text: 'zwei\nZeilen €' })
      await until(() => daemon.lines().length >= 2_600, 20_000)
      const lines = daemon.lines()
      expect(lines[0]!.slice(0, 7).map((part) => part.replace('+00:00', 'Z'))).toEqual([
        ...['warning', '2024-04-05T19:34:38.901Z', 'web_1', 'Store_Front', '7', expect.any(String), structured],
      ])
      const events = lines.map((parts) => JSON.parse(parts[7]!))
      expect(events.map(({ id }) => id)).toEqual(sent)
      expect(events[0]).toMatchObject({ event_message: 'event 0', text: 'zwei\nZeilen €', metadata })
    },
  )

  test.skipIf(!isThere()).each([
    ['without a client certificate', () => tls()],
    ['with one of an authority it does not know', () => ({ ...tls(), ...client('stranger') })],
  ])('a sender %s is turned away, and is told', async (_, config) => {
    const { daemon, world, source, backend } = await start(name, 'mutual tls', config())
    await world.append(source, 3)
    await until(async () => (await world.delivery.status(backend)).retried > 0)
    const status = await world.delivery.status(backend)
    expect(status).toMatchObject({ delivered: 0, lag_events: 3 })
    expect(status.last_error).toMatch(/client certificate|closed the connection|handshake/)
    expect(await world.delivery.probe(backend)).toMatchObject({ ok: false, message: expect.stringMatching(/\w+ \w+/) })
    expect(daemon.lines()).toEqual([])
  })
})
