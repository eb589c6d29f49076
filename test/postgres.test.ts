/** The same service with its metadata in PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { count, enginePid, fillUp, json, newSource, store, untilInParts } from './support/dialogue.ts'
import { millrace } from './support/millrace.ts'
import { hasPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { type Service, startService } from './support/service.ts'

let postgres: Postgres
let service: Service
let database = ''

beforeAll(async () => {
  if (!hasPostgres()) return
  postgres = await startPostgres()
  database = await postgres.createDatabase()
  service = await startService({ env: { DATABASE_URL: database } })
})
afterAll(async () => {
  await service?.remove()
  await postgres?.stop()
})

test.skipIf(!hasPostgres())(
  'on PostgreSQL too, what is sent is found, and is there after kills and restarts',
  async () => {
    const { token } = await newSource(service, 'events')
    await store(service, 'events', [{ id: 'one' }, { id: 'two' }])
    expect(await count(service, 'events', 'id is not null')).toBe(2)
    await service.restart('SIGKILL')
    await store(service, 'events', [{ id: 'three' }])
    process.kill(enginePid(service)!, 'SIGKILL')
    await fillUp(service, 'events')
    await untilInParts(service, token)
    await service.restart('SIGTERM')
    expect(await count(service, 'events', "id in ('one', 'two', 'three')")).toBe(3)
    const names = (await json(await service.fetch('/api/sources'))).map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['events', 'getting-started']))
  },
  240_000,
)

test.skipIf(!hasPostgres())(
  'doctor looks into the database, and tells when it is not the one of these events',
  async () => {
    const { token } = await newSource(service, 'examined')
    await fillUp(service, 'examined')
    await untilInParts(service, token)
    const env = { MILLRACE_DATA: service.dataDir, MILLRACE_PORT: new URL(service.url).port }
    const doctor = async (DATABASE_URL: string) => {
      const { code, stdout } = await millrace(['doctor', '--json'], { service, env: { ...env, DATABASE_URL } })
      const found: { check: string; state: string; text: string }[] = JSON.parse(stdout)
      return { code, of: (name: string) => found.find(({ check }) => check === name) }
    }
    const healthy = await doctor(database)
    expect(healthy.of('catalog')).toMatchObject({ state: 'ok', text: expect.stringContaining('1 accounts') })
    expect([healthy.code, healthy.of('sources')?.state, healthy.of('secret key')?.state]).toEqual([0, 'ok', 'ok'])

    const empty = await doctor(await postgres.createDatabase())
    expect(empty.of('catalog')).toMatchObject({ state: 'skipped', text: expect.stringContaining('first start') })

    const other = await postgres.createDatabase()
    const elsewhere = await startService({ env: { DATABASE_URL: other } })
    await elsewhere.remove()
    const mixed = await doctor(other)
    expect(mixed.of('sources')).toMatchObject({ state: 'warning', text: expect.stringContaining(token) })

    const away = await doctor('postgres://nobody@127.0.0.1:1/none')
    expect([away.code, away.of('catalog')?.state]).toEqual([1, 'problem'])
  },
  120_000,
)

test.skipIf(!hasPostgres())(
  'a stopped service is backed up without its database, and says so; without DATABASE_URL it is refused',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-pg-backup-'))
    await service.kill('SIGTERM')
    try {
      const backup = (name: string, env: Record<string, string>) =>
        millrace(['backup', '--data', service.dataDir, join(folder, name)], { env })
      expect(await backup('refused', {})).toMatchObject({ code: 1, stderr: expect.stringContaining('DATABASE_URL') })
      const made = await backup('made', { DATABASE_URL: database })
      expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('dump that database now') })
      const restored = await millrace(['restore', join(folder, 'made'), '--data', join(folder, 'data')])
      expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('restore the dump of its database') })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
