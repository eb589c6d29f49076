import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
let a: { id: number; token: string }
let b: { id: number; token: string }
beforeAll(async () => {
  server = await startManagement()
  a = await server.newSource()
  b = await server.newSource()
})
afterAll(() => server.stop())

const NOWHERE = '00000000-0000-4000-8000-000000000000'

test('a rule is made by the token or the number of its source, read, changed and deleted', async () => {
  const sent = { source: a.token, sink: b.token, lql_string: 'm.status:>=500' }
  const { status, json: rule } = await server.call('POST', '/api/rules', sent)
  expect({ status, rule }).toEqual({
    status: 201,
    rule: { id: expect.any(Number), token: expect.any(String), source_id: a.id, backend_id: null, ...sent },
  })
  const other = await server.call('POST', '/api/rules', { source_id: a.id, sink: b.token, lql_string: 'x' })
  expect(other).toMatchObject({ status: 201, json: { source: a.token } })
  expect((await server.call('GET', '/api/rules')).json).toEqual([rule, other.json])
  expect((await server.call('GET', `/api/rules?source=${b.token}`)).json).toEqual([])
  expect((await server.call('GET', `/api/rules/${rule.token}`)).json).toEqual(rule)

  const changed = { ...rule, lql_string: 'timeout' }
  expect(await server.call('PUT', `/api/rules/${rule.token}`, changed)).toMatchObject({ status: 200, json: changed })
  expect((await server.call('PATCH', `/api/rules/${rule.token}`, { lql_string: 'late' })).status).toBe(204)
  expect((await server.call('GET', `/api/rules/${rule.token}`)).json).toEqual({ ...rule, lql_string: 'late' })

  for (const { token } of [rule, other.json]) {
    expect((await server.call('DELETE', `/api/rules/${token}`)).status).toBe(204)
    expect((await server.call('DELETE', `/api/rules/${token}`)).status).toBe(404)
  }
})

test.each([
  ['no condition', { lql_string: '' }, { lql_string: ["can't be blank"] }],
  ['no condition at all', { lql_string: undefined }, { lql_string: ["can't be blank"] }],
  ['a chart alone', { lql_string: 'c:count(*)' }, { lql_string: [expect.stringContaining('condition')] }],
  ['an open quote', { lql_string: 'ok "open' }, { lql_string: [expect.stringContaining('position 3')] }],
  ['an unfinished group', { lql_string: '(level:error OR' }, { lql_string: [expect.stringContaining('position 15')] }],
  ['no target', { sink: null }, { sink: ["can't be blank"] }],
  ['an unknown target', { sink: NOWHERE }, { sink: ['is no source of this account'] }],
  ['a target that is no token', { sink: 'b' }, { sink: ['is invalid'] }],
  ['an unknown backend', { backend_id: 7 }, { backend_id: ['is no backend of this account'] }],
  ['an unknown field', { colour: 1 }, { colour: ['is not a known field'] }],
])('a rule with %s is refused', async (_, part, errors) => {
  const sent = { source: a.token, sink: b.token, lql_string: 'x', ...part }
  expect(await server.call('POST', '/api/rules', sent)).toMatchObject({ status: 422, json: { errors } })
})

test('a rule onto its own source is refused, also as a change', async () => {
  const errors = { sink: ['is the source itself'] }
  const sent = { source: a.token, sink: a.token, lql_string: 'x' }
  expect(await server.call('POST', '/api/rules', sent)).toMatchObject({ status: 422, json: { errors } })
  const { json: rule } = await server.call('POST', '/api/rules', { ...sent, sink: b.token })
  const turned = await server.call('PATCH', `/api/rules/${rule.token}`, { source: b.token })
  expect(turned).toMatchObject({ status: 422, json: { errors } })
  await server.call('DELETE', `/api/rules/${rule.token}`)
})

test('a source that is missing or belongs to another account is not found', async () => {
  const { json: account } = await server.call('POST', '/api/accounts', { name: 'other' })
  const theirs = await server.call('POST', '/api/sources', { name: 'theirs' }, account.management_token)
  for (const source of [NOWHERE, theirs.json.token]) {
    const sent = { source, sink: b.token, lql_string: 'x' }
    expect((await server.call('POST', '/api/rules', sent)).status).toBe(404)
  }
  const foreign = { source: a.token, sink: theirs.json.token, lql_string: 'x' }
  expect(await server.call('POST', '/api/rules', foreign)).toMatchObject({
    status: 422,
    json: { errors: { sink: [expect.any(String)] } },
  })
  const { json: rule } = await server.call('POST', '/api/rules', { ...foreign, sink: b.token })
  expect((await server.call('GET', `/api/rules/${rule.token}`, undefined, account.management_token)).status).toBe(404)
  expect((await server.call('GET', '/api/rules', undefined, account.management_token)).json).toEqual([])
  await server.call('DELETE', `/api/rules/${rule.token}`)
})

test('an array makes the rules that hold and says what is wrong with the others', async () => {
  const good = { source: a.token, sink: b.token, lql_string: 'x' }
  expect(await server.call('POST', '/api/rules', [good, good])).toMatchObject({
    status: 201,
    json: { results: [good, good], errors: [] },
  })
  const bad = [{ ...good, lql_string: '' }, good, { ...good, source: NOWHERE }]
  expect(await server.call('POST', '/api/rules', bad)).toMatchObject({
    status: 400,
    json: { results: [good], errors: ["lql_string can't be blank", 'There is no such source.'] },
  })
  const { json: rules } = await server.call('GET', '/api/rules')
  expect(rules).toHaveLength(3)
  for (const { token } of rules) await server.call('DELETE', `/api/rules/${token}`)
})

test.each(['regex', 'regex_string'])('the %s of an old rule becomes LQL', async (field) => {
  const sent = { source: a.token, sink: b.token, [field]: '^say "\\d+"$' }
  const { json } = await server.call('POST', '/api/rules', sent)
  expect(json.lql_string).toBe('~"^say \\"\\\\d+\\"$"')
  await server.call('DELETE', `/api/rules/${json.token}`)
})

test('a rule goes with its source and with its target', async () => {
  const [from, to, stays] = [await server.newSource(), await server.newSource(), await server.newSource()]
  const make = (source: string, sink: string) => server.call('POST', '/api/rules', { source, sink, lql_string: 'x' })
  await make(from.token, stays.token)
  await make(stays.token, to.token)
  await server.call('DELETE', `/api/sources/${from.token}`)
  expect((await server.call('GET', '/api/rules')).json).toMatchObject([{ sink: to.token }])
  await server.call('DELETE', `/api/sources/${to.token}`)
  expect((await server.call('GET', '/api/rules')).json).toEqual([])
})
