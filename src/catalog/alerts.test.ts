import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { type Catalog, openCatalog } from './catalog.ts'

const check = async () => ({ source_mapping: { web: 'w' }, parameters: ['p'] })
const daily = { query: 'select 1', cron: '0 4 * * *' }

describe.each(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])('alerts on %s', (engine) => {
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

  test('an alert is read as it was saved, hooks included', async () => {
    const { alerts } = catalog
    const hooks = { webhook_notification_url: 'https://a.test/secret', slack_hook_url: 'https://b.test/secret' }
    const made = await alerts.create(account, { name: 'a1', ...daily, ...hooks }, check)
    expect(made).toMatchObject({ ...daily, ...hooks, enabled: true, language: 'bq_sql', backend_ids: [] })
    expect(made).toMatchObject({ source_mapping: { web: 'w' }, parameters: ['p'] })
    expect(await alerts.byToken(account, made.token.toUpperCase())).toEqual(made)
    nowMs += 60_000
    const changed = await alerts.update(account, made.token, { cron: '* * * * *', slack_hook_url: null }, check)
    const updated_at = new Date(nowMs).toISOString()
    const next_run_at = new Date(nowMs + 60_000).toISOString()
    expect(changed).toEqual({ ...made, cron: '* * * * *', slack_hook_url: null, updated_at, next_run_at })
  })

  test('changes made at the same time are both kept', async () => {
    const { alerts } = catalog
    const { token } = await alerts.create(account, { name: 'a2', ...daily }, check)
    await Promise.all([
      alerts.update(account, token, { description: 'd' }, check),
      alerts.update(account, token, { enabled: false }, check),
      alerts.update(account, token, { cron: '@hourly' }, check),
    ])
    expect(await alerts.byToken(account, token)).toMatchObject({ description: 'd', enabled: false, cron: '@hourly' })
  })

  test('a name is taken once, in its account; a refused query writes nothing', async () => {
    const { alerts, accounts } = catalog
    const fields = { name: 'a3', ...daily }
    const { token } = await alerts.create(account, fields, check)
    const taken = { errors: { name: [expect.any(String)] } }
    await expect(alerts.create(account, fields, check)).rejects.toMatchObject(taken)
    const { token: second } = await alerts.create(account, { ...fields, name: 'a4' }, check)
    await expect(alerts.update(account, second, { name: 'a3' }, check)).rejects.toMatchObject(taken)
    const refuse = async () => {
      throw new Error('bad')
    }
    await expect(alerts.update(account, token, { query: 'x' }, refuse)).rejects.toThrow('bad')

    const other = await accounts.create({ name: 'other' })
    await alerts.create(other.id, fields, check)
    expect(await alerts.byToken(other.id, token)).toBeNull()
    expect(await alerts.update(other.id, token, { query: 'x' }, check)).toBeNull()
    expect(await alerts.remove(other.id, token)).toBe(false)
    expect(await alerts.byToken(account, token)).toMatchObject({ query: 'select 1' })
    expect(await alerts.remove(account, token)).toBe(true)
    expect(await alerts.byToken(account, token)).toBeNull()
  })

  test('every change is announced', async () => {
    const { alerts, changes } = catalog
    const heard: string[] = []
    const stop = changes.listen(({ noun }) => heard.push(noun))
    const { token } = await alerts.create(account, { name: 'a5', ...daily }, check)
    await alerts.update(account, token, { enabled: false }, check)
    await alerts.remove(account, token)
    stop()
    expect(heard).toEqual(['alert', 'alert', 'alert'])
  })
})
