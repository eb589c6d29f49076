import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const hook = { name: 'hook', type: 'webhook', config: { url: 'http://127.0.0.1:9/in' } }
const make = async (sent: object = hook) => (await server.call('POST', '/api/backends', sent)).json

test('a backend is made with its defaults, read, changed, listed and deleted', async () => {
  const made = await server.call('POST', '/api/backends', { ...hook, metadata: { team: 'a', on: true } })
  expect(made).toMatchObject({
    status: 201,
    json: {
      ...{
        id: expect.any(Number),
        name: 'hook',
        description: null,
        type: 'webhook',
        metadata: { team: 'a', on: true },
      },
      config: { url: hook.config.url, headers: {}, http: 'http2', gzip: true },
    },
  })
  expect(made.json).not.toHaveProperty('account_id')
  const url = `/api/backends/${made.json.token}`
  expect((await server.call('GET', url)).json).toEqual(made.json)
  const changed = await server.call('PUT', url, { ...made.json, description: 'd', config: { gzip: false } })
  expect(changed).toMatchObject({
    status: 200,
    json: { description: 'd', config: { url: hook.config.url, gzip: false } },
  })
  expect((await server.call('PATCH', url, { name: 'renamed' })).status).toBe(204)
  expect((await server.call('GET', '/api/backends?metadata[team]=a&metadata[on]=true')).json).toMatchObject([
    { name: 'renamed' },
  ])
  expect((await server.call('GET', '/api/backends?metadata[team]=a')).json).toEqual([])
  expect((await server.call('POST', `${url}/test`)).json).toEqual({ 'connected?': true })
  expect((await server.call('GET', `${url}/status`)).json).toMatchObject({ state: 'ok', dead_letters: 0 })
  expect((await server.call('GET', `${url}/dead-letters`)).json).toEqual([])
  expect((await server.call('DELETE', url)).status).toBe(204)
  expect((await server.call('GET', url)).status).toBe(404)
})

test('secrets read back as REDACTED, and REDACTED keeps them', async () => {
  const headers = { Authorization: 'Bearer s3cret', 'X-Team': 'a' }
  const { token, config } = await make({ ...hook, config: { url: 'http://me:pw@127.0.0.1:9/in', headers } })
  const shown = { authorization: 'REDACTED', 'x-team': 'a' }
  expect(config).toMatchObject({ url: 'http://REDACTED:REDACTED@127.0.0.1:9/in', headers: shown })
  expect((await server.call('PUT', `/api/backends/${token}`, { config })).json.config).toEqual(config)
  const account = await server.catalog.accounts.ensureOwner()
  const stored = await server.catalog.backends.byToken(account.account.id, token)
  expect(stored?.config).toMatchObject({
    url: 'http://me:pw@127.0.0.1:9/in',
    headers: { authorization: 'Bearer s3cret', 'x-team': 'a' },
  })
  const dog = await make({ name: 'dog', type: 'datadog', config: { api_key: 'k', region: 'EU' } })
  expect(dog.config).toEqual({ api_key: 'REDACTED', region: 'EU' })
})

const PEM = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'
const syslog = { host: 'logs.example.com', port: 6514 }
const feed = { region: 'us', project_number: '1', instance_id: NOWHERE, feed_id: NOWHERE, api_key: 'k', secret: 's' }

test.each([
  ['webhook', {}, { 'config.url': ["can't be blank"] }],
  ['webhook', { url: 'ftp://x' }, { 'config.url': ['has invalid format'] }],
  ['webhook', { url: 'http://169.254.169.254/x' }, { 'config.url': ['must not target a metadata address'] }],
  ['webhook', { url: 'http://[::ffff:169.254.169.254]/' }, { 'config.url': ['must not target a metadata address'] }],
  ['webhook', { url: 'http://a', http: 'http3' }, { 'config.http': ['is invalid'] }],
  ['webhook', { url: 'http://a', colour: 1 }, { 'config.colour': ['is not a known field'] }],
  [
    'elastic',
    { url: 'http://a', username: 'u' },
    { 'config.username': [expect.stringContaining('Both')], 'config.password': [expect.stringContaining('Both')] },
  ],
  ['elastic', { transport: 'pigeon', url: 'http://a' }, { 'config.transport': ['is invalid'] }],
  ['elastic', { url: 'http://a', gzip: false }, { 'config.gzip': ['is not a known field'] }],
  ['datadog', { api_key: 'k', region: 'MARS' }, { 'config.region': ['is invalid'] }],
  [
    'loki',
    { url: 'http://a', password: 'p' },
    { 'config.username': [expect.anything()], 'config.password': [expect.anything()] },
  ],
  ['security_analytics', { ...feed, instance_id: 'x' }, { 'config.instance_id': ['is invalid'] }],
  ['security_analytics', { ...feed, secret: undefined }, { 'config.secret': ["can't be blank"] }],
  ['syslog', {}, { 'config.host': ["can't be blank"], 'config.port': ["can't be blank"] }],
  ['syslog', { ...syslog, port: 65_536 }, { 'config.port': ['must be at most 65535'] }],
  ['syslog', { ...syslog, max_message_bytes: 0 }, { 'config.max_message_bytes': ['must be greater than 0'] }],
  ['syslog', { ...syslog, cipher_key: 'AAAA' }, { 'config.cipher_key': ['must be a base64 encoded 32 byte key'] }],
  ['syslog', { ...syslog, structured_data: '[a]' }, { 'config.structured_data': ['invalid format'] }],
  ['syslog', { ...syslog, ca_cert: 'x' }, { 'config.ca_cert': ['must be a valid PEM encoded string'] }],
  [
    'syslog',
    { ...syslog, ca_cert: PEM },
    { 'config.ca_cert': ['PEM entries must all be certificates, got: PRIVATE KEY'] },
  ],
  [
    'syslog',
    { ...syslog, client_key: `${PEM}\n${PEM}` },
    { 'config.client_key': ['expected one PEM entry, got 2 entries'] },
  ],
  ['pigeon', {}, { type: [expect.stringContaining('must be one of webhook, syslog')] }],
])('%s with %j is refused by field', async (type, config, errors) => {
  const answer = await server.call('POST', '/api/backends', { name: 'x', type, config })
  expect(answer).toMatchObject({ status: 422, json: { errors } })
})

test('a record without anything names what is missing', async () => {
  const errors = { name: ["can't be blank"], type: ["can't be blank"], config: ["can't be blank"] }
  expect(await server.call('POST', '/api/backends', {})).toMatchObject({ status: 422, json: { errors } })
})

test('structured data and port 0 of the syslog table are taken', async () => {
  const config = { ...syslog, port: 0, structured_data: '[a@1 b="c \\] d"][e f=""]' }
  expect(await server.call('POST', '/api/backends', { name: 's', type: 'syslog', config })).toMatchObject({
    status: 201,
    json: { config: { ...config, tls: false, max_message_bytes: 50_000 } },
  })
})

test('attached backends stand in the source record and cannot be deleted', async () => {
  const source = await server.newSource()
  const backend = await make()
  const url = `/api/sources/${source.token}/backends/${backend.token}`
  expect((await server.call('POST', url)).status).toBe(200)
  expect((await server.call('POST', url)).status).toBe(200)
  expect((await server.call('GET', `/api/sources/${source.token}`)).json.backends).toEqual([backend])
  expect(await server.call('DELETE', `/api/backends/${backend.token}`)).toMatchObject({
    status: 422,
    json: { errors: { sources: ['There are still sources connected to this backend'] } },
  })
  expect((await server.call('DELETE', url)).status).toBe(204)
  expect((await server.call('DELETE', url)).status).toBe(404)
  expect((await server.call('POST', `/api/sources/${source.token}/backends/${NOWHERE}`)).status).toBe(404)
  expect((await server.call('DELETE', `/api/backends/${backend.token}`)).status).toBe(204)
})

test('a rule may name a backend instead of a sink, and keeps it', async () => {
  const source = await server.newSource()
  const { id, token } = await make()
  const rule = await server.call('POST', '/api/rules', { source: source.token, lql_string: 'x', backend_id: id })
  expect(rule).toMatchObject({ status: 201, json: { backend_id: id, sink: null } })
  expect((await server.call('GET', `/api/rules?backend_id=${id}`)).json).toEqual([rule.json])
  expect((await server.call('DELETE', `/api/backends/${token}`)).status).toBe(422)
})

test.each(['backend_ids', 'backend_id'])(
  'a backend in %s of an alert is not deleted, and the alert is named',
  async (field) => {
    const { id, token } = await make()
    const { account } = await server.catalog.accounts.ensureOwner()
    const check = async () => ({ source_mapping: {}, parameters: [] })
    const settings = {
      name: 'too many errors',
      query: 'select 1',
      cron: '0 4 * * *',
      [field]: field === 'backend_ids' ? [id] : id,
    }
    const alert = await server.catalog.alerts.create(account.id, settings, check)
    expect(await server.call('DELETE', `/api/backends/${token}`)).toMatchObject({
      status: 422,
      json: { errors: { alerts: ['still tell this backend, or run on it: too many errors'] } },
    })
    await server.catalog.alerts.update(account.id, alert.token, { [field]: field === 'backend_ids' ? [] : null }, check)
    expect((await server.call('DELETE', `/api/backends/${token}`)).status).toBe(204)
    await server.catalog.alerts.remove(account.id, alert.token)
  },
)
