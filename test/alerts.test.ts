/** Alerts as their users meet them: over HTTP, on a running service. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Mailbox, openMailbox } from './support/mailbox.ts'
import { openReceiver, type Receiver } from './support/receiver.ts'
import { type Service, startService, until } from './support/service.ts'

/** Answers of every shape; looking into them is what the tests are for. */
type Json = ReturnType<typeof JSON.parse>

let service: Service
let mailbox: Mailbox
let receiver: Receiver
beforeAll(async () => {
  mailbox = await openMailbox()
  receiver = await openReceiver()
  service = await startService({
    env: { MILLRACE_SMTP_URL: mailbox.url, MILLRACE_MAIL_FROM: 'Millrace <millrace@test.test>' },
  })
}, 60_000)
afterAll(async () => {
  await service.remove()
  await mailbox.stop()
  await receiver.stop()
})

async function call(path: string, body?: object, method = body === undefined ? 'GET' : 'POST') {
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
  const answer = await service.fetch(path, { method, ...sent })
  const text = await answer.text()
  const json: Json = text ? JSON.parse(text) : null
  return { status: answer.status, json }
}

let made = 0
const fresh = (word: string): string => `${word}_${++made}`

async function saved(noun: 'alerts' | 'endpoints', fields: object): Promise<{ token: string; name: string }> {
  const more = noun === 'alerts' ? { cron: '0 4 * * *' } : { cache_duration_seconds: 0 }
  const { status, json } = await call(`/api/${noun}`, { name: fresh(noun), ...more, ...fields })
  expect({ status, json }).toMatchObject({ status: 201 })
  return json
}

const run = (token: string) => call(`/api/alerts/${token}/run`, undefined, 'POST')
const ask = (sql: string) => call(`/api/query?sql=${encodeURIComponent(sql)}`)
const change = (noun: string, token: string, body: object) => call(`/api/${noun}/${token}`, body, 'PATCH')

async function source(events: object[]): Promise<{ name: string; token: string }> {
  const { json } = await call('/api/sources', { name: fresh('src'), retention_days: 3650 })
  const timestamp = '2025-03-02T00:00:00Z'
  expect(
    await call(
      `/api/logs?source=${json.token}`,
      events.map((event) => ({ timestamp, ...event })),
    ),
  ).toMatchObject({
    status: 200,
  })
  return json
}

test('a run answers the rows of now, at most 1000, and is in the log of queries', async () => {
  const { name } = await source([{ ms: 3050.75 }, { ms: 5.5 }])
  const slow = await saved('alerts', { query: `select ms from ${name} where ms > 1000`, enabled: false })
  expect(await run(slow.token)).toEqual({ status: 200, json: { result: [{ ms: 3050.75 }] } })
  const [line] = (await call('/api/queries?limit=1')).json
  expect(line).toMatchObject({ kind: 'alert', endpoint: null, labels: { alert: slow.token }, rows: 1, error: null })

  const many = await saved('alerts', { query: 'select n, @none as p from unnest(generate_array(1, 3000)) as n' })
  const { result } = (await run(many.token)).json
  expect([result.length, result[0].p]).toEqual([1000, null])

  const broken = await saved('alerts', { query: `select colour from ${name}` })
  expect(await run(broken.token)).toMatchObject({ status: 400, json: { error: expect.stringContaining('colour') } })
  expect((await call('/api/queries?limit=1')).json[0]).toMatchObject({ kind: 'alert', error: expect.any(String) })
})

test('an alert is a table in the management query, in endpoints and in alerts, at any depth, with its parameters', async () => {
  const { name } = await source([{ v: 1 }, { v: 2 }, { v: 3 }])
  const one = await saved('alerts', {
    name: fresh('dotted.name'),
    query: `select v from ${name} where timestamp > '2025-01-01' and v >= @least`,
  })
  const two = await saved('endpoints', { query: `select v + 10 as v from \`${one.name}\`` })
  const three = await saved('alerts', { query: `select max(v) as worst, count(*) as n from ${two.name}` })
  expect(three).toMatchObject({ parameters: ['least'] })
  expect((await run(three.token)).json).toEqual({ result: [{ worst: null, n: 0 }] })
  expect((await call(`/api/endpoints/query/${two.token}?least=3`)).json).toEqual({ result: [{ v: 13 }] })
  const over = `select worst, n from ${three.name}`
  expect((await call(`/api/query?least=2&sql=${encodeURIComponent(over)}`)).json.result).toEqual([{ worst: 13, n: 2 }])
  await call(`/api/alerts/${one.token}`, undefined, 'DELETE')
  expect((await run(three.token)).status).toBe(400)
})

test('a circle over alerts and endpoints is refused when it is saved, and when it comes about later', async () => {
  const a = await saved('alerts', { query: 'select 1 as n' })
  const e = await saved('endpoints', { query: `select n from ${a.name}` })
  const b = await saved('alerts', { query: `select n from ${e.name}` })
  for (const query of [`select n from ${a.name}`, `select n from ${e.name}`, `select n from ${b.name}`]) {
    const { status, json } = await change('alerts', a.token, { query })
    expect([status, json.errors.query[0]]).toEqual([422, expect.stringContaining('circle')])
  }
  expect((await change('endpoints', e.token, { query: `select n from ${b.name}` })).status).toBe(422)
  expect((await change('alerts', b.token, { query: `select n from ${a.name}` })).status).toBe(204)

  // The endpoint takes the place of an alert of its name, over which it is a circle; without the endpoint it is none.
  const word = fresh('word')
  await saved('alerts', { name: word, query: 'select 2 as n' })
  const reader = await saved('alerts', { query: `select n from ${word}` })
  const inFront = await call('/api/endpoints', { name: word, query: `select n from ${reader.name}` })
  expect(inFront.status).toBe(422)
  const endpoint = await saved('endpoints', { name: word, query: 'select 3 as n' })
  expect((await run(reader.token)).json).toEqual({ result: [{ n: 3 }] })
  const behind = (await call('/api/alerts')).json.find(({ name }: Json) => name === word)
  expect((await change('alerts', behind.token, { query: `select n from ${reader.name}` })).status).toBe(204)
  expect((await run(behind.token)).json).toEqual({ result: [{ n: 3 }] })
  await call(`/api/endpoints/${endpoint.token}`, undefined, 'DELETE')
  expect(await run(behind.token)).toMatchObject({ status: 400, json: { error: expect.stringContaining('circle') } })
  expect(await ask(`select n from ${word}`)).toMatchObject({ status: 400 })
})

test('renaming a source keeps alerts working, in both languages, also after another took its name', async () => {
  const { name, token } = await source([{ v: 7 }])
  const sql = await saved('alerts', { query: `select v from ${name}` })
  const lql = await saved('alerts', { language: 'lql', query: `f:${name} v:>1 s:v` })
  expect((await change('sources', token, { name: fresh('renamed') })).status).toBe(204)
  await call('/api/sources', { name })
  for (const alert of [sql, lql]) {
    expect((await run(alert.token)).json).toEqual({ result: [{ v: 7 }] })
    expect((await change('alerts', alert.token, { cron: '@hourly' })).status).toBe(204)
    expect((await run(alert.token)).json).toEqual({ result: [{ v: 7 }] })
  }
})

test('a query that comes back after its source was renamed means the source of that name now, also in queries built on it', async () => {
  const { name, token } = await source([{ v: 1 }])
  const query = `select v from ${name} where timestamp > '2025-01-01'`
  const alert = await saved('alerts', { query })
  await change('sources', token, { name: fresh('renamed') })
  const other = await source([{ v: 2 }])
  await change('sources', other.token, { name })
  const over = `select v from ${alert.name}`
  expect((await ask(over)).json.result).toEqual([{ v: 1 }])
  await change('alerts', alert.token, { query: 'select 0 as v' })
  await change('alerts', alert.token, { query })
  expect((await ask(over)).json.result).toEqual([{ v: 2 }])
})

test('LQL reads a source, an endpoint or an alert; an alert in LQL is no table', async () => {
  const { name } = await source([
    { level: 'warning', v: 1 },
    { level: 'error', v: 2 },
  ])
  const over = await saved('alerts', { query: `select level, v * 2 as double from ${name}` })
  const lql = await saved('alerts', { language: 'lql', query: `f:${over.name} level:error s:double` })
  expect((await run(lql.token)).json).toEqual({ result: [{ double: 4 }] })
  const later = await saved('alerts', { language: 'lql', query: `f:${name} colour:red` })
  expect(await run(later.token)).toMatchObject({ status: 400, json: { error: expect.stringContaining('colour') } })
  expect(await ask(`select * from ${lql.name}`)).toMatchObject({ status: 400 })
  expect((await call('/api/endpoints', { name: fresh('ep'), query: `select double from ${lql.name}` })).status).toBe(
    422,
  )
})

test('an alert is no table for callers of an endpoint, nor for another account', async () => {
  const alert = await saved('alerts', { query: "select 'secret' as s" })
  const open = await saved('endpoints', { query: 'with t as (select 1 as n) select n from t', sandboxable: true })
  const sql = encodeURIComponent(`select s from ${alert.name}`)
  expect((await call(`/api/endpoints/query/${open.token}?sql=${sql}`)).status).toBe(400)
  const { json } = await call('/api/accounts', { name: fresh('account') })
  const headers = { authorization: `Bearer ${json.management_token}` }
  expect((await service.fetch(`/api/query?sql=${sql}`, { headers })).status).toBe(400)
  expect((await service.fetch(`/api/alerts/${alert.token}/run`, { method: 'POST', headers })).status).toBe(404)
  expect((await ask(`select s from ${alert.name}`)).json.result).toEqual([{ s: 'secret' }])
})

test('hooks are not readable on disk', async () => {
  const hook = 'https://hooks.test/6b1f0a9c'
  const { token } = await saved('alerts', { query: 'select 1 as a', slack_hook_url: hook })
  await service.restart()
  expect((await call(`/api/alerts/${token}`)).json.slack_hook_url).toBe(hook)
  const files = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' }).map(
    (at) => `${service.dataDir}/${at}`,
  )
  const holding = files.filter((at) => statSync(at).isFile() && readFileSync(at).includes('6b1f0a9c'))
  expect(holding).toEqual([])
})

test('an alert of every minute that is run by hand tells all its places, and the history says what became of it', async () => {
  const { name } = await source([{ ms: 3050.75, host: 'b7' }])
  const backend = await call('/api/backends', {
    ...{ name: fresh('backend'), type: 'webhook' },
    config: { url: `${receiver.url}/backend` },
  })
  const alert = await saved('alerts', {
    query: `select host, ms from ${name}`,
    cron: '* * * * *',
    condition: { type: 'value', column: 'ms', operator: '>', threshold: 1000 },
    repeat_minutes: null,
    webhook_notification_url: `${receiver.url}/webhook`,
    slack_hook_url: `${receiver.url}/slack`,
    emails: ['ann@test.test'],
    backend_ids: [backend.json.id],
  })
  receiver.refuse('/webhook', 503)
  const { json } = await call(`/api/alerts/${alert.token}/run?notify=true`, undefined, 'POST')
  expect(json).toEqual({ result: [{ host: 'b7', ms: 3050.75 }], fired: true, run: expect.any(Number) })
  const runs = async () => (await call(`/api/alerts/${alert.token}/runs`)).json
  const line = async () => (await runs()).find(({ id }: Json) => id === json.run)
  const states = async () => (await line()).deliveries.map(({ channel, state }: Json) => [channel, state])
  const others = [
    ['slack', 'sent'],
    ['email', 'sent'],
    ['backend', 'sent'],
  ]
  await until(async () => JSON.stringify(await states()) === JSON.stringify([['webhook', 'pending'], ...others]))
  receiver.refuse('/webhook', null)
  await until(async () => JSON.stringify(await states()) === JSON.stringify([['webhook', 'sent'], ...others]))
  expect(await line()).toMatchObject({ trigger: 'request', outcome: 'firing', rows: 1, muted: false, error: null })
  expect(receiver.taken('/webhook')[0].result).toEqual([{ host: 'b7', ms: 3050.75 }])
  expect(receiver.taken('/slack')[0].blocks[0].text.text).toContain(`*${alert.name}*, 1 row`)
  expect(mailbox.mails[0]).toContain('host: b7')
  expect(JSON.stringify(receiver.taken('/backend')[0])).toContain('"host":"b7"')
  expect((await call(`/api/alerts/${alert.token}`)).json).toMatchObject({ state: 'firing', last_error: null })
  expect((await call('/api/alerts/00000000-0000-4000-8000-000000000000/runs')).status).toBe(404)
})

test('a run that fails is in the history and in the state', async () => {
  const { name } = await source([{ v: 1 }])
  const { token } = await saved('alerts', { query: `select colour from ${name}` })
  expect((await call(`/api/alerts/${token}/run?notify=true`, undefined, 'POST')).status).toBe(400)
  expect((await call(`/api/alerts/${token}/runs?limit=1`)).json[0]).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('colour'),
  })
  expect((await call(`/api/alerts/${token}`)).json).toMatchObject({
    state: 'failing',
    last_error: expect.stringContaining('colour'),
  })
})
