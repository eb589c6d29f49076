import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { until } from '../../test/support/service.ts'
import { systemClock as clock } from '../base/clock.ts'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import type { Account } from '../model/account.ts'
import { createSourceList, type SourceList } from './sources.ts'

describe.skipIf(!hasPostgres())('the sources of a node that shares a catalog', () => {
  let postgres: Postgres
  let url: string
  let here: Catalog
  let there: Catalog
  let list: SourceList
  let account: Account
  const gone: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    const secretKey = Buffer.alloc(32, 7)
    here = await openCatalog({ url, secretKey, clock, node: 'here' })
    there = await openCatalog({ url, secretKey, clock, node: 'there' })
    account = (await here.accounts.ensureOwner()).account
    list = await createSourceList({
      catalog: there,
      onChanged: async () => {},
      onGone: async ({ name }) => void gone.push(name),
      onError: (error) => complaints.push(String(error)),
    })
    await there.shared?.follow(() => {})
    await list.start()
  })
  afterAll(async () => {
    list?.stop()
    await here?.stop()
    await there?.stop()
    await postgres?.stop()
  })

  const isKnown = (name: string): boolean => list.all().some((source) => source.name === name)

  async function made(name: string): Promise<string> {
    const { token } = await here.sources.create(account, { name })
    await until(() => isKnown(name), 5_000)
    return token
  }

  test('what another node deletes is deleted here', async () => {
    const token = await made('unwanted')
    await here.sources.remove(account.id, token)
    await until(() => !isKnown('unwanted'), 5_000)
    expect([gone, complaints]).toEqual([['unwanted'], []])
  })

  test('a source that the database forgot keeps its events, and is told of', async () => {
    const token = await made('forgotten')
    const client = new Client({ connectionString: url })
    await client.connect()
    // As after a fall back to a copy that is a moment older: the row is not there, and nobody deleted it.
    await client.query('alter table sources disable trigger sources_deleted')
    await client.query('delete from sources where token = $1', [token])
    await client.query('alter table sources enable trigger sources_deleted')
    await client.end()
    await until(() => !isKnown('forgotten'), 5_000)
    expect(gone).not.toContain('forgotten')
    expect(complaints.join()).toContain('lacks the source forgotten')
  })
})
