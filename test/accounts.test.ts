import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALWAYS, ask, json, newSource, post, type Row } from './support/dialogue.ts'
import { type Service, startService } from './support/service.ts'

let service: Service
let theirs: { management_token: string; token: string }
let secret: { token: string }
let common: { token: string }

const as = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })
const get = async (path: string, token = theirs.management_token): Promise<Response> => service.fetch(path, as(token))

beforeAll(async () => {
  service = await startService()
  theirs = await json(await post(service, '/api/accounts', { name: 'the others' }))
  secret = await newSource(service, 'secret')
  // Names are the account's own: both may use the same one.
  common = await newSource(service, 'common')
  await newSource(service, 'common', theirs.management_token)
  for (const name of ['secret', 'common'])
    expect((await post(service, `/api/logs?source_name=${name}`, { message: 'ours' })).status).toBe(200)
  const sent = await post(service, '/api/logs?source_name=common', { message: 'theirs' }, theirs.management_token)
  expect(sent.status).toBe(200)
})
afterAll(() => service?.remove())

test('an account sees its own sources, tokens and events, and only those', async () => {
  const sources: Row[] = await json(await get('/api/sources'))
  expect(sources.map(({ name }) => name)).toEqual(['common'])
  expect(sources[0].token).not.toBe(common.token)
  const tokens: Row[] = await json(await get('/api/access-tokens'))
  const ours: Row[] = await json(await service.fetch('/api/access-tokens'))
  expect(tokens.map(({ id }) => id)).not.toEqual(expect.arrayContaining(ours.map(({ id }) => id)))
  const sql = `select event_message from common where ${ALWAYS}`
  expect((await json(await ask(service, sql, theirs.management_token))).result).toEqual([{ event_message: 'theirs' }])
  expect((await json(await ask(service, sql))).result).toEqual([{ event_message: 'ours' }])
})

test('what belongs to another account is not found, whatever is asked of it', async () => {
  for (const path of ['', '/schema', '/recent', '/rejected'])
    expect((await get(`/api/sources/${secret.token}${path}`)).status, path).toBe(404)
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const headers = { authorization: `Bearer ${theirs.management_token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'taken' })
    const answer = await service.fetch(`/api/sources/${secret.token}`, { method, headers, body })
    expect(answer.status, method).toBe(404)
  }
  const [token]: Row[] = await json(await service.fetch('/api/access-tokens'))
  const revoke = await service.fetch(`/api/access-tokens/${token.id}`, {
    method: 'DELETE',
    ...as(theirs.management_token),
  })
  expect(revoke.status).toBe(404)
  for (const name of [`source=${secret.token}`, 'source_name=secret'])
    expect((await post(service, `/api/logs?${name}`, { message: 'x' }, theirs.management_token)).status).toBe(404)
  for (const table of ['secret', `\`${secret.token}\``, `\`secret\``]) {
    const answer = await ask(service, `select * from ${table} where ${ALWAYS}`, theirs.management_token)
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('ours')
  }
  expect((await get('/api/accounts')).status).toBe(403)
  expect(await json(await service.fetch(`/api/sources/${secret.token}/recent`))).toHaveLength(1)
})

test('an account that is deleted takes its own with it and nothing else', async () => {
  const gone = await service.fetch(`/api/accounts/${theirs.token}`, { method: 'DELETE' })
  expect(gone.status).toBe(204)
  expect((await get('/api/sources')).status).toBe(401)
  const [row] = (await json(await ask(service, `select count(*) as n from common where ${ALWAYS}`))).result
  expect(row.n).toBe(1)
})
