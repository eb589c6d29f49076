/** Two nodes on one database, each with a catalog of its own. */
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../../test/support/postgres.ts'
import { until } from '../../../test/support/service.ts'
import { systemClock as clock } from '../../base/clock.ts'
import type { Account } from '../../model/account.ts'
import type { FlatFields } from '../../model/fields.ts'
import { type Catalog, openCatalog } from '../catalog.ts'
import { ownClaims } from '../claims.ts'
import type { Shared } from './shared.ts'

test('where there is one node it has every claim', async () => {
  expect([await ownClaims.take('a', 1), await ownClaims.holder('a')]).toEqual([true, null])
})

describe.skipIf(!hasPostgres())('nodes that share a catalog', () => {
  let postgres: Postgres
  let url: string
  let here: Catalog
  let there: Catalog
  let owner: Account
  const heard: string[] = []
  const sharedOf = ({ shared }: Catalog): Shared => shared!

  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    const secretKey = Buffer.alloc(32, 7)
    here = await openCatalog({ url, secretKey, clock, node: 'here' })
    there = await openCatalog({ url, secretKey, clock, node: 'there' })
    owner = (await here.accounts.ensureOwner()).account
    await sharedOf(there).follow(() => {})
    there.changes.listen(({ noun }) => heard.push(noun))
  })
  afterAll(async () => {
    await here?.stop()
    await there?.stop()
    await postgres?.stop()
  })

  const isHeard = (noun: string): Promise<void> => until(() => heard.includes(noun), 5_000)
  const admin = async (text: string): Promise<ReturnType<typeof JSON.parse>[]> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }
  /** Ends the listening connections, again and again, until `work` is done. */
  const withoutListening = async (work: () => Promise<void>): Promise<void> => {
    const cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace changes'"
    let isOver = false
    const cutting = (async () => {
      while (!isOver) await admin(cut)
    })()
    await work().finally(() => {
      isOver = true
    })
    await cutting
  }

  test('what one changes the other hears of, by the kind of record', async () => {
    const source = await here.sources.create(owner, { name: 'web' })
    await isHeard('source')
    const { token } = await here.tokens.create(owner.id, { description: null, scopes: 'ingest' })
    await isHeard('token')
    await here.keyValues.put(owner, [{ key: 'a', value: { n: 1 } }])
    await isHeard('key-values')
    const backend = await here.backends.create(owner.id, {
      ...{ type: 'webhook', name: 'hook', description: null, metadata: {}, config: {} },
    })
    await isHeard('backend')
    heard.length = 0
    await here.backends.attach(source.id, backend.id)
    await isHeard('backend')
    heard.length = 0
    await here.tokens.markUsed([token.id], clock.nowMs())
    await here.tokens.revoke(owner.id, { id: token.id })
    await isHeard('token')
    expect(new Set(heard)).toEqual(new Set(['token']))
  })

  test('also what a cascade removes', async () => {
    const account = await here.accounts.create({ name: 'short-lived' })
    await here.sources.create(account, { name: 'gone' })
    await isHeard('source')
    heard.length = 0
    await here.accounts.remove(account.id)
    await Promise.all(['account', 'source'].map(isHeard))
  })

  test('also while the listening connection is cut', async () => {
    heard.length = 0
    await withoutListening(async () => {
      await here.sources.create(owner, { name: 'unheard' })
      await isHeard('source')
    })
    heard.length = 0
    await here.sources.create(owner, { name: 'heard again' })
    await isHeard('source')
    const listening = "select count(*)::int as n from pg_stat_activity where application_name = 'millrace changes'"
    await until(async () => (await admin(listening))[0].n === 1)
  })

  test('a change that is committed long after a later one is heard of', async () => {
    const slow = new Client({ connectionString: url })
    await slow.connect()
    await slow.query('begin')
    await slow.query("update sources set name = 'renamed' where name = 'web'")
    heard.length = 0
    await here.keyValues.put(owner, [{ key: 'b', value: { n: 2 } }])
    await isHeard('key-values')
    await withoutListening(async () => {
      heard.length = 0
      await slow.query('commit')
      await isHeard('source')
    })
    await slow.end()
  })

  test('a claim is one node’s until its time is over, or it gives it back', async () => {
    const [mine, theirs] = [here.claims, there.claims]
    expect([await mine.take('job', 60_000), await theirs.take('job', 60_000)]).toEqual([true, false])
    expect([await mine.take('job', 60_000), await theirs.holder('job')]).toEqual([true, 'here'])
    await mine.release('job')
    expect([await theirs.take('job', 1), await theirs.holder('nothing')]).toEqual([true, null])
    await until(() => mine.take('job', 60_000), 2_000)
  })

  test('nodes are told apart by their token, and gone when they say so', async () => {
    const { nodes } = sharedOf(here)
    const me = { token: 'a', address: 'http://10.0.0.1:4000', version: '1', position: 7 }
    const id = await nodes.numberOf('a')
    expect((await nodes.list()).map(({ isLive }) => isLive)).toEqual([false])
    await nodes.register(me)
    await nodes.register({ ...me, token: 'b' })
    await nodes.register({ ...me, position: 9 })
    expect(await nodes.numberOf('a')).toBe(id)
    expect(await nodes.list()).toMatchObject([
      { id, token: 'a', position: 9, isLive: true },
      { token: 'b', isLive: true },
    ])
    expect([await nodes.seen(me), await nodes.seen({ ...me, address: 'http://10.0.0.2' })]).toEqual([true, false])
    await nodes.leave('a')
    expect((await nodes.list()).map(({ isLive }) => isLive)).toEqual([false, true])
  })

  test('fields are known to all; the first type stays but for widening', async () => {
    const { token } = await here.sources.create(owner, { name: 'fields' })
    const [mine, theirs] = [sharedOf(here).fields, sharedOf(there).fields]
    await theirs.fresh()
    await Promise.all([
      mine.add(token, { a: 'integer', o: 'object', 'o.x': 'string' }),
      theirs.add(token, { b: 'boolean', o: 'object', 'o.y': 'string' }),
    ])
    await mine.add(token, { a: 'float', b: 'string', o: 'object', 'b.c': 'string' } satisfies FlatFields)
    const expected = { a: 'float', b: 'boolean', o: 'object', 'o.x': 'string', 'o.y': 'string' }
    expect(await theirs.fresh()).toEqual([{ source: token, fields: expected }])
    await isHeard('fields')
    await mine.add('00000000-0000-4000-8000-000000000000', { a: 'string' })
  })
})
