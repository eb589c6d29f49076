import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { type Catalog, openCatalog } from './catalog.ts'

const check = async () => ({ source_mapping: { web: 'w' }, parameters: ['p'] })

describe.each(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])('endpoints on %s', (engine) => {
  let nowMs = Date.UTC(2026, 10, 15)
  let postgres: Postgres | null = null
  let catalog: Catalog
  let account: number

  beforeAll(async () => {
    if (engine === 'postgres') postgres = await startPostgres()
    const place = postgres ? { url: await postgres.createDatabase() } : { file: ':memory:' }
    catalog = await openCatalog({ ...place, secretKey: Buffer.alloc(32, 1), clock: { nowMs: () => nowMs } })
    account = (await catalog.accounts.ensureOwner()).account.id
  })
  afterAll(async () => {
    await catalog?.stop()
    await postgres?.stop()
  })

  test('each change is the next version, with author, time and what changed; no change makes none', async () => {
    const { endpoints } = catalog
    const made = await endpoints.create(account, 'ann', { name: 'e1', query: 'select 1' }, check)
    expect(made).toMatchObject({
      version: 1,
      parameters: ['p'],
      source_mapping: { web: 'w' },
      cache_duration_seconds: 3600,
    })
    nowMs += 60_000
    const changes = { query: 'select 2', max_limit: 5 }
    expect(await endpoints.update(account, made.token, 'bob', changes, check)).toMatchObject({
      version: 2,
      max_limit: 5,
    })
    expect(await endpoints.update(account, made.token, 'eve', { query: 'select 2' }, check)).toMatchObject({
      version: 2,
    })
    expect(await endpoints.versions(made.id)).toEqual([
      { version: 2, at: new Date(nowMs).toISOString(), author: 'bob', changes: ['query', 'max_limit'] },
      { version: 1, at: new Date(nowMs - 60_000).toISOString(), author: 'ann', changes: [] },
    ])
    expect(await endpoints.version(made.id, 1)).toMatchObject({ name: 'e1', query: 'select 1', max_limit: 1000 })
    expect(await endpoints.version(made.id, 3)).toBeNull()
  })

  test('changes made at the same time are both kept, one after the other', async () => {
    const { endpoints } = catalog
    const { token, id } = await endpoints.create(account, 'ann', { name: 'e2', query: 'select 1' }, check)
    await Promise.all([
      endpoints.update(account, token, 'a', { description: 'd' }, check),
      endpoints.update(account, token, 'b', { max_limit: 7 }, check),
      endpoints.update(account, token, 'c', { enable_auth: true }, check),
    ])
    expect(await endpoints.byToken(token)).toMatchObject({
      version: 4,
      description: 'd',
      max_limit: 7,
      enable_auth: true,
    })
    expect(await endpoints.versions(id)).toHaveLength(4)
  })

  test('a name is taken once, in its account; a refused query writes nothing', async () => {
    const { endpoints, accounts } = catalog
    const fields = { name: 'e3', query: 'select 1' }
    const { token } = await endpoints.create(account, 'a', fields, check)
    await expect(endpoints.create(account, 'a', fields, check)).rejects.toMatchObject({
      errors: { name: [expect.any(String)] },
    })
    const other = await accounts.create({ name: 'other' })
    await endpoints.create(other.id, 'a', fields, check)
    const refuse = async () => {
      throw new Error('bad')
    }
    await expect(endpoints.update(account, token, 'a', { query: 'x' }, refuse)).rejects.toThrow('bad')
    expect(await endpoints.byToken(token)).toMatchObject({ query: 'select 1', version: 1 })
    expect(await endpoints.update(other.id, token, 'a', { query: 'x' }, check)).toBeNull()
    expect(await endpoints.remove(other.id, token)).toBeNull()
    expect(await endpoints.remove(account, token)).toMatchObject({ token })
    expect(await endpoints.byToken(token)).toBeNull()
  })

  test('the log of queries is read newest first, by account and endpoint, for seven days', async () => {
    const { queryLog, accounts } = catalog
    const other = await accounts.create({ name: 'another' })
    const line = (at: number, endpoint: string | null) => ({
      at: new Date(at).toISOString(),
      ...{ kind: 'endpoint' as const, endpoint, version: 1, labels: { a: 'b' }, rows: 1, bytes_scanned: 5e12, ms: 3 },
      ...{ cached: true, error: null, token: 't', count: 4 },
    })
    const day = 86_400_000
    await queryLog.add([
      { accountId: account, entry: line(nowMs - 8 * day, 'x') },
      { accountId: account, entry: line(nowMs - 2, 'x') },
      { accountId: account, entry: line(nowMs - 1, 'y') },
      { accountId: other.id, entry: line(nowMs, 'x') },
    ])
    expect(await queryLog.list(account, { endpoint: null, limit: 10 })).toEqual([
      line(nowMs - 1, 'y'),
      line(nowMs - 2, 'x'),
    ])
    expect(await queryLog.list(account, { endpoint: 'x', limit: 10 })).toEqual([line(nowMs - 2, 'x')])
    await queryLog.prune()
    nowMs -= 8 * day
    expect(await queryLog.list(account, { endpoint: null, limit: 10 })).toHaveLength(2)
  })

  test('calls are summed up by endpoint; requeries are none, and kept answers took no time', async () => {
    const { id } = await catalog.accounts.create({ name: 'summed' })
    const line = (fields: object) => ({
      accountId: id,
      entry: {
        at: new Date(nowMs).toISOString(),
        ...{ kind: 'endpoint' as const, endpoint: 'x', version: 1, labels: {}, rows: 1, bytes_scanned: 1, ms: 0 },
        ...{ cached: false, error: null, token: null, count: 1 },
        ...fields,
      },
    })
    await catalog.queryLog.add([
      line({ ms: 10 }),
      line({ ms: 31 }),
      line({ cached: true, count: 7 }),
      line({ error: 'no such field', count: 2 }),
      line({ kind: 'requery', ms: 900 }),
      line({ endpoint: 'y', cached: true }),
    ])
    const uses = await catalog.queryLog.endpointUse(id)
    const last_at = new Date(nowMs).toISOString()
    expect(uses.toSorted((a, b) => a.endpoint.localeCompare(b.endpoint))).toEqual([
      { endpoint: 'x', calls: 11, cached: 7, failed: 2, mean_ms: 21, max_ms: 31, last_at },
      { endpoint: 'y', calls: 1, cached: 1, failed: 0, mean_ms: null, max_ms: null, last_at },
    ])
  })
})
