import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import { createChanges } from '../catalog/changes.ts'
import type { Account } from '../model/account.ts'
import { normalScopes } from '../model/token.ts'
import { type Access, createAccess } from './access.ts'
import { createMemory } from './memory.ts'
import { presentedToken } from './present.ts'
import { allow, type Need, readScopes } from './scopes.ts'

let nowMs = Date.UTC(2026, 10, 15)
const clock = { nowMs: () => nowMs }
let catalog: Catalog
let access: Access
let owner: Account

beforeEach(async () => {
  catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock })
  owner = (await catalog.accounts.ensureOwner()).account
  access = createAccess({ catalog, clock })
})
afterEach(async () => {
  await access.stop()
  await catalog.stop()
})

test.each([
  ['a bearer token', { authorization: 'Bearer a' }, {}, 'a'],
  ['the first place decides', { authorization: 'bearer a', 'x-api-key': 'b' }, { api_key: 'c' }, 'a'],
  ['another scheme counts as absent', { authorization: 'Basic a', 'x-api-key': 'b' }, {}, 'b'],
  ['an empty bearer counts as absent', { authorization: 'Bearer ', 'x-api-key': 'b' }, {}, 'b'],
  ['the query string', {}, { api_key: 'c', header_X_API_KEY: 'd' }, 'c'],
  ['a repeated query parameter', {}, { api_key: ['c', 'e'] }, 'c'],
  ['the way of edge log push', {}, { header_X_API_KEY: 'd' }, 'd'],
  ['nothing', {}, {}, null],
])('presented: %s', (_, headers, query, expected) => expect(presentedToken(headers, query)).toBe(expected))

test.each([
  ['public private', 'ingest management'],
  ['  ingest   ingest query ', 'ingest query'],
  ['ingest:collection:12', 'ingest:source:12'],
  ['ingest:source:0B8A3F52-6A8E-4F0E-9A57-3F1F5D1F7C11', 'ingest:source:0b8a3f52-6a8e-4f0e-9a57-3f1f5d1f7c11'],
  ['query:endpoint:3', 'query:endpoint:3'],
  ['ingest admin', null],
  ['ingest:source:x', null],
  ['constructor', null],
  ['', null],
])('scopes: "%s" reads as %s', (text, expected) => expect(normalScopes(text)).toBe(expected))

const source = { id: 4, token: '0b8a3f52-6a8e-4f0e-9a57-3f1f5d1f7c11' }
const ingest: Need = { to: 'ingest', source }
const query: Need = { to: 'query', endpoint: source }
const manage: Need = { to: 'manage', role: 'viewer' }

test.each([
  ['management', [ingest, query, manage], []],
  ['ingest', [ingest], [query, manage]],
  ['query', [query], [ingest, manage]],
  [`ingest:source:${source.token}`, [ingest], [query, manage]],
  ['ingest:source:4', [ingest], [query, manage]],
  ['ingest:source:5', [], [ingest, query, manage]],
  ['query:endpoint:4', [query], [ingest, manage]],
  ['ingest:source:5 query', [query], [ingest, manage]],
])('%s opens what it names and nothing else', (text, open, closed) => {
  const scopes = readScopes(text)
  for (const need of open) allow(scopes, need)
  for (const need of closed) {
    const word = { ingest: 'ingest', query: 'query', manage: 'management' }[need.to]
    expect(() => allow(scopes, need)).toThrow(word)
  }
})

test('a known token is answered without waiting, a revoked one refused at once', async () => {
  const { token, value } = await catalog.tokens.create(owner.id, { scopes: 'ingest' })
  expect(await access.identify(value)).toMatchObject({ account: owner, token: { id: token.id } })
  expect(access.identify(value)).not.toBeInstanceOf(Promise)
  await catalog.tokens.revoke(owner.id, { id: token.id })
  await expect(access.identify(value)).rejects.toMatchObject({ code: 'unauthorized' })
  expect(() => access.identify(null)).toThrow('Unauthorized')
})

test('a token that was unknown works as soon as it exists', async () => {
  await expect(access.identify('fixed')).rejects.toMatchObject({ code: 'unauthorized' })
  expect(() => access.identify('fixed')).toThrow('Unauthorized')
  await catalog.tokens.ensureFixed(owner.id, { description: 'f', scopes: 'query', value: 'fixed' })
  expect(await access.identify('fixed')).toMatchObject({ scopes: { query: true } })
})

test('what another process revoked or changed counts after 5 s', async () => {
  const there = createAccess({ catalog: { ...catalog, changes: createChanges() }, clock, isShared: true })
  const { token, value } = await catalog.tokens.create(owner.id, { scopes: 'ingest' })
  const made = await catalog.sources.create(owner, { name: 'far' })
  await there.identify(value)
  await there.sources.byToken(owner.id, made.token)
  await catalog.tokens.revoke(owner.id, { id: token.id })
  await catalog.sources.update(owner, made.token, { lock_schema: true })
  nowMs += 5_000
  await expect(there.identify(value)).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await there.sources.byToken(owner.id, made.token)).toMatchObject({ lock_schema: true })
  await there.stop()
})

test('the last use is written at most once a minute', async () => {
  const { value } = await catalog.tokens.create(owner.id, {})
  const lastUse = async () => (await catalog.tokens.byValue(value))?.last_used_at
  await access.identify(value)
  await access.flush()
  const first = new Date(nowMs).toISOString()
  expect(await lastUse()).toBe(first)
  nowMs += 30_000
  await access.identify(value)
  await access.flush()
  expect(await lastUse()).toBe(first)
  nowMs += 31_000
  await access.identify(value)
  await access.flush()
  expect(await lastUse()).toBe(new Date(nowMs).toISOString())
})

test('sources are found by token and name within their account, and changes count at once', async () => {
  const made = await catalog.sources.create(owner, { name: 'web' })
  const other = await catalog.accounts.create({ name: 'other' })
  expect(await access.sources.byToken(owner.id, made.token)).toEqual(made)
  expect(await access.sources.byName(owner.id, 'web')).toEqual(made)
  expect(access.sources.byName(owner.id, 'web')).toEqual(made)
  expect(await access.sources.byToken(other.id, made.token)).toBeNull()
  expect(access.sources.byToken(owner.id, 'not-a-uuid')).toBeNull()
  expect(await access.sources.byName(owner.id, 'site')).toBeNull()
  await catalog.sources.update(owner, made.token, { name: 'site' })
  expect(await access.sources.byName(owner.id, 'web')).toBeNull()
  expect(await access.sources.byName(owner.id, 'site')).toMatchObject({ id: made.id })
})

test('memory: a look-up under way when the memory is cleared is not kept', async () => {
  const gate = Promise.withResolvers<{ v: number }>()
  const loads = [gate.promise, Promise.resolve({ v: 2 })]
  const memory = createMemory({ load: () => loads.shift()!, lifeMs: Number.POSITIVE_INFINITY, limit: 10, clock })
  const early = memory.get('k')
  memory.clear()
  const late = memory.get('k')
  gate.resolve({ v: 1 })
  expect([await early, await late]).toEqual([{ v: 1 }, { v: 2 }])
  expect(memory.get('k')).toEqual({ v: 2 })
})

test('memory: entries end with their life, the room is bounded, look-ups are shared', async () => {
  let loads = 0
  const load = async (key: string) => {
    loads++
    return key.startsWith('no') ? null : { key }
  }
  const memory = createMemory<{ key: string }>({ load, lifeMs: 5_000, limit: 2, clock })
  await Promise.all([memory.get('a'), memory.get('a')])
  expect(loads).toBe(1)
  nowMs += 5_001
  await memory.get('a')
  expect(loads).toBe(2)
  await memory.get('b')
  await memory.get('c')
  expect(memory.get('a')).toBeInstanceOf(Promise)
  for (let n = 0; n < 3_000; n++) await memory.get(`no${n}`)
  expect(memory.get('c')).toEqual({ key: 'c' })
  expect(memory.get('no2999')).toBeNull()
})
