import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import type { Account } from '../model/account.ts'
import { parseAccessor } from '../model/rules/accessor.ts'
import { type Catalog, type CatalogPlace, openCatalog } from './catalog.ts'
import type { Change } from './changes.ts'

const secretKey = Buffer.alloc(32, 7)
const clock = { nowMs: () => Date.UTC(2026, 10, 15) }

const engines = hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']

describe.each(engines)('the catalog on %s', (engine) => {
  let folder: string
  let postgres: Postgres | null = null
  let place: CatalogPlace
  let catalog: Catalog
  let owner: Account
  let other: Account

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-catalog-'))
    if (engine === 'postgres') postgres = await startPostgres()
    place = postgres ? { url: await postgres.createDatabase() } : { file: join(folder, 'catalog.sqlite') }
    catalog = await openCatalog({ ...place, secretKey, clock })
    owner = (await catalog.accounts.ensureOwner()).account
    other = await catalog.accounts.create({ name: 'second' })
  })

  afterAll(async () => {
    await catalog?.stop()
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('the first account owns the deployment, is made once and cannot be deleted', async () => {
    expect(await catalog.accounts.ensureOwner()).toEqual({ account: owner, isNew: false })
    await expect(catalog.accounts.remove(owner.id)).rejects.toMatchObject({ code: 'conflict' })
    await expect(catalog.accounts.create({ name: 'second' })).rejects.toMatchObject({
      errors: { name: ['has already been taken'] },
    })
  })

  test('several processes may open and migrate at the same time', async () => {
    const url = postgres ? { url: await postgres.createDatabase() } : { file: join(folder, 'fresh.sqlite') }
    const first = engine === 'sqlite' ? [await openCatalog({ ...url, secretKey, clock })] : []
    const opened = await Promise.all([1, 2, 3].map(() => openCatalog({ ...url, secretKey, clock })))
    const owners = await Promise.all(opened.map((one) => one.accounts.ensureOwner()))
    expect(new Set(owners.map(({ account }) => account.token)).size).toBe(1)
    await Promise.all([...first, ...opened].map((one) => one.stop()))
  })

  test('a new source has the defaults and keeps what was sent', async () => {
    const token = 'ABCDEF01-2345-4678-9abc-def012345678'.toLowerCase()
    const source = await catalog.sources.create(owner, { name: 'web', token, favorite: true, labels: 'a=b' })
    expect(source).toMatchObject({ name: 'web', token, favorite: true, labels: 'a=b', retention_days: 7 })
    expect(await catalog.sources.byToken(owner.id, token.toUpperCase())).toEqual(source)
    expect(await catalog.sources.byName(owner.id, 'web')).toEqual(source)
  })

  test('a source is invisible to another account', async () => {
    const source = await catalog.sources.create(owner, { name: 'mine' })
    expect(await catalog.sources.byToken(other.id, source.token)).toBeNull()
    expect(await catalog.sources.byName(other.id, 'mine')).toBeNull()
    expect(await catalog.sources.update(other, source.token, { name: 'taken over' })).toBeNull()
    expect(await catalog.sources.remove(other.id, source.token)).toBeNull()
    expect((await catalog.sources.create(other, { name: 'mine' })).id).not.toBe(source.id)
  })

  test('a name or token is taken once, on create and on rename', async () => {
    const source = await catalog.sources.create(owner, { name: 'one of a kind' })
    const second = await catalog.sources.create(owner, { name: 'another' })
    const taken = { errors: { name: ['has already been taken'] } }
    await expect(catalog.sources.create(owner, { name: 'one of a kind' })).rejects.toMatchObject(taken)
    await expect(catalog.sources.update(owner, second.token, { name: 'one of a kind' })).rejects.toMatchObject(taken)
    await expect(catalog.sources.create(other, { name: 'x', token: source.token })).rejects.toMatchObject({
      errors: { token: ['has already been taken'] },
    })
  })

  test('changes at the same time of different fields both hold', async () => {
    const { token } = await catalog.sources.create(owner, { name: 'busy' })
    await Promise.all([
      catalog.sources.update(owner, token, { description: 'text' }),
      catalog.sources.update(owner, token, { lock_schema: true }),
      catalog.sources.update(owner, token, { suggested_keys: 'a,b' }),
    ])
    expect(await catalog.sources.byToken(owner.id, token)).toMatchObject({
      description: 'text',
      lock_schema: true,
      suggested_keys: 'a,b',
    })
  })

  test('a saved search stands once per source, by name and by text, and goes with its source', async () => {
    const source = await catalog.sources.create(owner, { name: 'searched' })
    const second = await catalog.sources.create(owner, { name: 'searched too' })
    const long = 'm.status:500 '.repeat(700).trim()
    const saved = await catalog.savedSearches.create(source.id, { name: 'long', lql: long, tailing: false })
    await catalog.savedSearches.create(source.id, { name: 'all', lql: '', tailing: true })
    await catalog.savedSearches.create(second.id, { name: 'long', lql: long, tailing: true })
    expect((await catalog.savedSearches.list(source.id)).map(({ name }) => name)).toEqual(['all', 'long'])
    await expect(
      catalog.savedSearches.create(source.id, { name: 'long', lql: 'x', tailing: true }),
    ).rejects.toMatchObject({ errors: { name: ['has already been taken'] } })
    await expect(
      catalog.savedSearches.create(source.id, { name: 'other', lql: long, tailing: true }),
    ).rejects.toMatchObject({ errors: { lql: ['is saved already'] } })
    expect(await catalog.savedSearches.remove(second.id, saved.id)).toBe(false)
    expect(await catalog.savedSearches.remove(source.id, saved.id)).toBe(true)
    await catalog.sources.remove(owner.id, source.token)
    expect(await catalog.savedSearches.list(source.id)).toEqual([])
  })

  test('the token of a source cannot be changed, sending the same one is fine', async () => {
    const { token } = await catalog.sources.create(owner, { name: 'steady' })
    expect(await catalog.sources.update(owner, token, { token, favorite: true })).toMatchObject({ favorite: true })
    await expect(
      catalog.sources.update(owner, token, { token: '00000000-0000-4000-8000-000000000000' }),
    ).rejects.toMatchObject({ errors: { token: ['cannot be changed'] } })
  })

  test('the id of a deleted source is never used again', async () => {
    const source = await catalog.sources.create(owner, { name: 'gone' })
    expect(await catalog.sources.remove(owner.id, source.token)).toEqual(source)
    expect((await catalog.sources.create(owner, { name: 'gone' })).id).toBeGreaterThan(source.id)
  })

  test('favourites come first, then names', async () => {
    const account = await catalog.accounts.create({ name: 'lister' })
    for (const name of ['b', 'a']) await catalog.sources.create(account, { name })
    await catalog.sources.create(account, { name: 'z', favorite: true })
    expect((await catalog.sources.list(account.id)).map(({ name }) => name)).toEqual(['z', 'a', 'b'])
  })

  test('a plan limits retention and enrichment', async () => {
    const account = await catalog.accounts.create({ name: 'small', plan: 'free' })
    const asked = { name: 'x', retention_days: 8, transform_key_values: 'a:b' }
    await expect(catalog.sources.create(account, asked)).rejects.toMatchObject({
      errors: { retention_days: ['ttl is over your plan limit'], transform_key_values: ['is not part of your plan'] },
    })
  })

  test('addresses that work like passwords are not readable in the database and need the same key', async () => {
    const hook = 'https://hooks.example.test/very-secret-path'
    const { token } = await catalog.sources.create(owner, { name: 'hooked', slack_hook_url: hook })
    expect(await catalog.sources.byToken(owner.id, token)).toMatchObject({ slack_hook_url: hook })
    if ('file' in place) {
      const bytes = [await readFile(place.file), await readFile(`${place.file}-wal`)]
      expect(Buffer.concat(bytes).includes('very-secret-path')).toBe(false)
    }
    const wrongKey = await openCatalog({ ...place, secretKey: Buffer.alloc(32, 8), clock })
    await expect(wrongKey.sources.byToken(owner.id, token)).rejects.toMatchObject({ code: 'setup' })
    await wrongKey.stop()
  })

  test('a token opens until it is revoked, by id or by value, and only for its own account', async () => {
    const { token, value } = await catalog.tokens.create(owner.id, { description: 't', scopes: 'ingest' })
    expect(value).toMatch(/^mr_[\w-]{43}$/)
    expect(await catalog.tokens.byValue(value)).toEqual(token)
    expect(await catalog.tokens.byValue(`${value}x`)).toBeNull()
    expect(await catalog.tokens.revoke(other.id, { id: token.id })).toBe(false)
    expect(await catalog.tokens.revoke(owner.id, { id: token.id })).toBe(true)
    expect(await catalog.tokens.revoke(owner.id, { value })).toBe(true)
    expect(await catalog.tokens.byValue(value)).toBeNull()
    expect((await catalog.tokens.list(owner.id)).map(({ id }) => id)).not.toContain(token.id)
  })

  test('a fixed token is made once, follows its value and refuses to share one', async () => {
    const fixed = { description: 'fixed ingest', scopes: 'public', value: 'chosen-1' }
    const first = await catalog.tokens.ensureFixed(owner.id, fixed)
    expect(first.scopes).toBe('ingest')
    await catalog.tokens.revoke(owner.id, { id: first.id })
    expect((await catalog.tokens.ensureFixed(owner.id, { ...fixed, value: 'chosen-2' })).id).toBe(first.id)
    expect(await catalog.tokens.byValue('chosen-1')).toBeNull()
    expect(await catalog.tokens.byValue('chosen-2')).toMatchObject({ id: first.id })
    await expect(
      catalog.tokens.ensureFixed(owner.id, { ...fixed, description: 'fixed management', value: 'chosen-2' }),
    ).rejects.toMatchObject({ code: 'setup' })
  })

  test('the last use of tokens is noted', async () => {
    const { token, value } = await catalog.tokens.create(owner.id, {})
    await catalog.tokens.markUsed([token.id], Date.UTC(2026, 0, 2))
    expect(await catalog.tokens.byValue(value)).toMatchObject({ last_used_at: '2026-01-02T00:00:00.000Z' })
  })

  test('key-values are written over, read, paged in byte order and removed', async () => {
    const account = await catalog.accounts.create({ name: 'kv' })
    const entries = ['b', 'B', 'ä', 'a'].map((key) => ({ key, value: { is: key } }))
    expect(await catalog.keyValues.put(account, [...entries, { key: 'a', value: { is: 'last' } }])).toBe(4)
    expect(await catalog.keyValues.put(account, [{ key: 'b', value: { is: 'new', n: 5 } }])).toBe(1)
    expect(await catalog.keyValues.get(account.id, 'a')).toEqual({ is: 'last' })
    expect(await catalog.keyValues.getMany(account.id, ['b', 'nope', 'zero\0'])).toEqual(
      new Map([['b', { is: 'new', n: 5 }]]),
    )
    const page = await catalog.keyValues.list(account.id, { limit: 2 })
    expect(page.map(({ key }) => key)).toEqual(['B', 'a'])
    const next = await catalog.keyValues.list(account.id, { after: 'a' })
    expect(next.map(({ key }) => key)).toEqual(['b', 'ä'])
    expect(await catalog.keyValues.list(other.id, { key: 'a' })).toEqual([])
    const accessor = parseAccessor('$.n')
    if ('problem' in accessor) throw new Error(accessor.problem)
    expect(await catalog.keyValues.removeWhere(account.id, accessor, ['5'])).toBe(1)
    expect(await catalog.keyValues.removeKeys(account.id, ['a', 'b'])).toBe(1)
  })

  test('many key-values fit in one call, and a plan limit refuses the whole call', async () => {
    const entries = Array.from({ length: 2_500 }, (_, n) => ({ key: `k${n}`, value: { n } }))
    expect(await catalog.keyValues.put(other, entries)).toBe(2_500)
    const keys = entries.map(({ key }) => key)
    expect((await catalog.keyValues.getMany(other.id, keys)).size).toBe(2_500)
    expect(await catalog.keyValues.list(other.id, {})).toHaveLength(500)
    const account = await catalog.accounts.create({ name: 'no kv', plan: 'metered' })
    await expect(catalog.keyValues.put(account, entries.slice(0, 1))).rejects.toThrow('Key-value limit of 0 exceeded')
    expect(await catalog.keyValues.list(account.id, {})).toEqual([])
  })

  test('rules are kept in order, name their sources, and go with their source and their sink', async () => {
    const [from, sink] = [
      await catalog.sources.create(owner, { name: 'rule from' }),
      await catalog.sources.create(owner, { name: 'rule sink' }),
    ]
    const settings = { source_id: from.id, lql_string: 'a', sink_id: sink.id, backend_id: null }
    const first = await catalog.rules.create(owner.id, settings)
    const second = await catalog.rules.create(owner.id, { ...settings, sink_id: null })
    expect(first).toMatchObject({ source: from.token, sink: sink.token, lql_string: 'a' })
    expect(await catalog.rules.ofSource(owner.id, from.token)).toEqual([first, second])
    expect(await catalog.rules.ofSource(other.id, from.token)).toEqual([])
    expect(await catalog.rules.byToken(other.id, first.token)).toBeNull()
    expect(await catalog.rules.update(other.id, first.token, settings)).toBeNull()
    expect(await catalog.rules.update(owner.id, first.token, { ...settings, lql_string: 'b' })).toEqual({
      ...first,
      lql_string: 'b',
    })
    expect(await catalog.rules.remove(other.id, second.token)).toBe(false)
    await catalog.sources.remove(owner.id, sink.token)
    expect(await catalog.rules.list(owner.id)).toEqual([second])
    await catalog.sources.remove(owner.id, from.token)
    expect(await catalog.rules.list(owner.id)).toEqual([])
  })

  test('backends belong to their account, are attached to sources, and go only when nothing sends to them', async () => {
    const settings = { name: 'hook', description: null, config: { url: 'http://a', key: 's' }, metadata: { a: true } }
    const backend = await catalog.backends.create(owner.id, { type: 'webhook', ...settings })
    expect(await catalog.backends.byToken(owner.id, backend.token)).toMatchObject(settings)
    expect(await catalog.backends.byId(owner.id, backend.id)).toEqual(backend)
    expect(await catalog.backends.byToken(other.id, backend.token)).toBeNull()
    expect(await catalog.backends.update(backend, { ...settings, name: 'b' })).toMatchObject({ name: 'b' })

    const source = await catalog.sources.create(owner, { name: 'sent on' })
    await catalog.backends.attach(source.id, backend.id)
    await catalog.backends.attach(source.id, backend.id)
    const rule = { source_id: source.id, lql_string: 'x', sink_id: null, backend_id: backend.id }
    const { token } = await catalog.rules.create(owner.id, rule)
    expect((await catalog.backends.ofSource(source.id)).map(({ id }) => id)).toEqual([backend.id])
    expect(await catalog.backends.drains()).toEqual([
      { backend_id: backend.id, source: source.token, lql: null },
      { backend_id: backend.id, source: source.token, lql: 'x' },
    ])
    await expect(catalog.backends.remove(backend)).rejects.toMatchObject({ errors: { sources: [expect.anything()] } })
    expect(await catalog.backends.detach(source.id, backend.id)).toBe(true)
    expect(await catalog.backends.detach(source.id, backend.id)).toBe(false)
    await expect(catalog.backends.remove(backend)).rejects.toMatchObject({ errors: { rules: [expect.anything()] } })
    await catalog.rules.remove(owner.id, token)

    await catalog.deadLetters.add(
      backend.id,
      [1, 2, 3].map((n) => ({ source: source.token, reason: 'no', event: `${n}` })),
    )
    const [first, second] = await catalog.deadLetters.list(backend.id, { limit: 2 })
    expect(await catalog.deadLetters.list(backend.id, { limit: 9, afterId: second!.id })).toMatchObject([
      { event: '3' },
    ])
    await catalog.deadLetters.remove([first!.id])
    expect(await catalog.deadLetters.count(backend.id)).toBe(2)
    await catalog.backends.remove(backend)
    expect(await catalog.deadLetters.count(backend.id)).toBe(0)
  })

  test('the last hundred rejected events of each source are kept, newest first', async () => {
    const a = await catalog.sources.create(owner, { name: 'rejects a' })
    const b = await catalog.sources.create(owner, { name: 'rejects b' })
    const rejected = (n: number) => ({ at: '2026-11-15T00:00:00.000Z', reason: `r${n}`, event: { n, zero: '\0' } })
    await catalog.rejected.add(b.id, [rejected(-1)])
    for (let n = 0; n < 130; n += 65) {
      await catalog.rejected.add(
        a.id,
        Array.from({ length: 65 }, (_, i) => rejected(n + i)),
      )
    }
    const listed = await catalog.rejected.list(a.id)
    expect(listed).toHaveLength(100)
    expect(listed[0]).toEqual(rejected(129))
    expect(listed.at(-1)).toEqual(rejected(30))
    expect(await catalog.rejected.list(b.id)).toEqual([rejected(-1)])
    await catalog.rejected.add(b.id, [{ ...rejected(1), event: 'x'.repeat(1_000_000) }])
    expect(String((await catalog.rejected.list(b.id))[0]!.event).length).toBeLessThan(40_000)
  })

  test('an account takes everything it owns with it', async () => {
    const account = await catalog.accounts.create({ name: 'leaving' })
    const { value } = await catalog.tokens.create(account.id, { scopes: 'management' })
    await catalog.sources.create(account, { name: 'x' })
    await catalog.keyValues.put(account, [{ key: 'k', value: { v: 1 } }])
    expect(await catalog.accounts.remove(account.id)).toBe(true)
    expect(await catalog.tokens.byValue(value)).toBeNull()
    expect(await catalog.sources.list(account.id)).toEqual([])
    expect(await catalog.keyValues.get(account.id, 'k')).toBeNull()
  })

  test('every change is announced in this process', async () => {
    const heard: Change['noun'][] = []
    const stop = catalog.changes.listen(({ noun }) => heard.push(noun))
    const { token } = await catalog.sources.create(owner, { name: 'announced' })
    await catalog.sources.remove(owner.id, token)
    await catalog.tokens.create(owner.id, {})
    await catalog.keyValues.put(owner, [{ key: 'k', value: { v: 1 } }])
    stop()
    await catalog.keyValues.removeKeys(owner.id, ['k'])
    expect(heard).toEqual(['source', 'source', 'token', 'key-values'])
  })
})

test.runIf(hasPostgres())('a database that went away is a passing fault that brings nothing down', async () => {
  const postgres = await startPostgres()
  const lost: Error[] = []
  const url = await postgres.createDatabase()
  const catalog = await openCatalog({ url, secretKey, clock, onIdleError: (error) => lost.push(error) })
  await catalog.ping()
  await postgres.stop()
  await expect.poll(() => lost.length).toBeGreaterThan(0)
  await expect(catalog.ping()).rejects.toMatchObject({ code: 'unavailable' })
  await catalog.stop()
})
