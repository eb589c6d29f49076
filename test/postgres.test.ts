/** The same service with its metadata in PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { count, enginePid, fillUp, json, newSource, store, untilInParts } from './support/dialogue.ts'
import { hasPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { type Service, startService } from './support/service.ts'

let postgres: Postgres
let service: Service

beforeAll(async () => {
  if (!hasPostgres()) return
  postgres = await startPostgres()
  service = await startService({ env: { DATABASE_URL: await postgres.createDatabase() } })
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
