import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import { createChanges } from '../catalog/changes.ts'
import type { Account } from '../model/account.ts'
import type { Source } from '../model/source.ts'
import { createRouteMemory } from './routes.ts'

let nowMs = Date.UTC(2026, 10, 15)
const clock = { nowMs: () => nowMs }
let catalog: Catalog
let owner: Account
let from: Source
let sink: Source

beforeEach(async () => {
  catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock })
  owner = (await catalog.accounts.ensureOwner()).account
  from = await catalog.sources.create(owner, { name: 'from' })
  sink = await catalog.sources.create(owner, { name: 'sink' })
})
afterEach(() => catalog.stop())

const rule = (lql: string) => ({ source_id: from.id, lql_string: lql, sink_id: sink.id, backend_id: null })

test('rules and what their targets are set to count from the next request on', async () => {
  const routes = createRouteMemory({ catalog, clock })
  expect(await routes.of(from)).toEqual([])
  const { token } = await catalog.rules.create(owner.id, rule('a'))
  expect(await routes.of(from)).toEqual([{ lql: 'a', target: sink }])
  expect(routes.of(from)).toBe(routes.of(from))
  await catalog.sources.update(owner, sink.token, { lock_schema: true })
  expect(await routes.of(from)).toMatchObject([{ target: { lock_schema: true } }])
  await catalog.rules.update(owner.id, token, rule('b'))
  expect(await routes.of(from)).toMatchObject([{ lql: 'b' }])
  await catalog.sources.remove(owner.id, sink.token)
  expect(await routes.of(from)).toEqual([])
  routes.stop()
})

test('what another process changed counts after 5 s', async () => {
  const routes = createRouteMemory({ catalog: { ...catalog, changes: createChanges() }, clock, isShared: true })
  expect(await routes.of(from)).toEqual([])
  await catalog.rules.create(owner.id, rule('a'))
  nowMs += 5_000
  expect(await routes.of(from)).toMatchObject([{ lql: 'a' }])
  routes.stop()
})
