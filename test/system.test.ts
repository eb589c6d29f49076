/** What the service tells those who look after it, and what people change of themselves. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser } from './support/browser.ts'
import { type Service, startService, until } from './support/service.ts'

const PASSWORD = 'correct horse battery'
let service: Service
let owner: Browser

beforeAll(async () => {
  service = await startService()
  owner = openBrowser(service)
  await owner.call('POST', '/api/setup', { email: 'ada@example.com', name: 'Ada', password: PASSWORD })
})
afterAll(() => service?.remove())

test('the state of the node names its versions, its disk, and what each source takes', async () => {
  const { json: source } = await owner.call('POST', '/api/sources', { name: 'app' })
  const sent = await service.fetch('/api/logs?source_name=app', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ message: 'a' }, { message: 'b' }]),
  })
  expect(sent.status).toBe(200)
  const rowsOf = async () => {
    const { json } = await owner.call('GET', '/api/system')
    return json.sources.find(({ token }: { token: string }) => token === source.token)
  }
  await until(async () => {
    const { rows, fresh_rows } = await rowsOf()
    return rows + fresh_rows === 2
  })
  expect(await rowsOf()).toMatchObject({ name: 'app', retention_days: 7 })
  expect((await owner.call('GET', '/api/system')).json).toMatchObject({
    state: 'ready',
    versions: { node: expect.stringMatching(/^\d+\./), duckdb: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    metadata: 'sqlite',
    disk: { free_bytes: expect.any(Number), total_bytes: expect.any(Number) },
    warehouse: { ready: true, damaged: [], last_error: null },
  })
})

test('a query that runs is listed and can be ended, and whoever asked is told', async () => {
  const sql =
    'select count(*) c from unnest(generate_array(1, 200000)) a cross join unnest(generate_array(1, 200000)) b where mod(a * b, 7) = 3'
  const asked = owner.call('POST', '/api/query', { sql })
  const running = async () => (await owner.call('GET', '/api/queries/running')).json
  await until(async () => (await running()).length === 1)
  const [{ id, text }] = await running()
  expect(text).toBe(sql)
  expect((await owner.call('DELETE', `/api/queries/running/${id}`)).status).toBe(204)
  expect(await asked).toMatchObject({ status: 400, json: { error: 'The query was cancelled.' } })
  expect(await running()).toEqual([])
  expect((await owner.call('DELETE', `/api/queries/running/${id}`)).status).toBe(404)
})

test('everybody changes their own name, and logs out everywhere', async () => {
  expect((await owner.call('PUT', '/api/session', { name: 'Ada L.' })).json.user).toMatchObject({ name: 'Ada L.' })
  expect((await owner.call('GET', '/api/session')).json.user.name).toBe('Ada L.')
  const elsewhere = openBrowser(service)
  await elsewhere.call('POST', '/api/session', { email: 'ada@example.com', password: PASSWORD })
  expect((await elsewhere.call('DELETE', '/api/sessions')).status).toBe(204)
  expect((await owner.call('GET', '/api/session')).status).toBe(401)
  expect((await elsewhere.call('GET', '/api/session')).status).toBe(401)
})

test('a token is no person: it has no name and no browsers', async () => {
  for (const [method, path] of [
    ['PUT', '/api/session'],
    ['DELETE', '/api/sessions'],
  ]) {
    const answer = await service.fetch(path ?? '', {
      method: method ?? '',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"x"}',
    })
    expect(answer.status).toBe(401)
  }
})
