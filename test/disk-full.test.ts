/** A disk without room: ingest says so and promises nothing, everything else lives, and room is all it takes to go on. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALWAYS, ask, count, health, json, newSource, post, untilLoaded } from './support/dialogue.ts'
import { canMount, type Mounted, mountMemory } from './support/mount.ts'
import { type Service, startService, until } from './support/service.ts'

const DISK_MB = 64
const BATCH_EVENTS = 100

let disk: Mounted
let service: Service
const ballast = (): string => join(disk.dir, 'ballast')
const isPossible = canMount()

beforeAll(async () => {
  if (!isPossible) return
  disk = mountMemory(join(tmpdir(), `millrace-full-${process.pid}`), DISK_MB)
  service = await startService({ dataDir: join(disk.dir, 'data') })
  await newSource(service, 'filling')
})
afterAll(async () => {
  await service?.remove()
  disk?.remove()
})

let batch = 0
let acknowledged = 0

async function sendBatch(): Promise<Response> {
  batch += 1
  const events = Array.from({ length: BATCH_EVENTS }, (_, seq) => ({ batch, seq, message: `${seq} `.repeat(150) }))
  const answer = await post(service, '/api/logs?source_name=filling', { batch: events })
  if (answer.status === 200) acknowledged += BATCH_EVENTS
  return answer
}

/** Takes all room that is left, to the last page. */
function fillDisk(): void {
  const page = Buffer.alloc(4096)
  const file = openSync(ballast(), 'a')
  try {
    for (;;) writeSync(file, page)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    closeSync(file)
  }
}

const isWhole = async (): Promise<void> => {
  expect(await count(service, 'filling')).toBe(acknowledged)
  expect(await count(service, 'filling', `seq = 1`)).toBe(acknowledged / BATCH_EVENTS)
}

test.skipIf(!isPossible)(
  'a full disk: 503 in words, nothing promised that is not kept, and room is enough to go on',
  async () => {
    for (let i = 0; i < 20; i += 1) expect((await sendBatch()).status).toBe(200)
    fillDisk()
    let refusal = await sendBatch()
    while (refusal.status === 200) refusal = await sendBatch()
    expect(refusal.status).toBe(503)
    expect(refusal.headers.get('retry-after')).toBe('3')
    expect((await json(refusal)).error).toMatch(/^The disk is full; the events were not stored/)
    expect((await sendBatch()).status).toBe(503)

    const { pid } = service
    for (const path of ['/health', '/ready', '/metrics', '/api/sources'])
      expect((await service.fetch(path)).status, path).toBe(200)
    const read = await ask(service, `select count(*) as n from filling where ${ALWAYS}`)
    if (read.status !== 200) {
      expect(read.status).toBe(503)
      expect((await json(read)).error).toMatch(/^The disk is full/)
    }
    expect(service.pid).toBe(pid)

    rmSync(ballast())
    await until(async () => (await sendBatch()).status === 200)
    await isWhole()
    expect(service.pid).toBe(pid)
  },
  240_000,
)

test.skipIf(!isPossible)(
  'loading on a full disk is tried again until there is room, and loses and doubles nothing',
  async () => {
    for (let i = 0; i < 40; i += 1) expect((await sendBatch()).status).toBe(200)
    await isWhole()
    fillDisk()
    await until(async () => (await health(service)).warehouse.last_error !== null, 20_000, 100)
    expect((await health(service)).warehouse.unloaded_bytes).toBeGreaterThan(0)
    rmSync(ballast())
    await untilLoaded(service)
    await until(async () => (await health(service)).warehouse.last_error === null)
    await isWhole()
    await service.restart('SIGKILL')
    await isWhole()
  },
  240_000,
)

test.skipIf(!isPossible)(
  'a service starts on a full disk, answers what it has, and takes events once there is room',
  async () => {
    await untilLoaded(service)
    fillDisk()
    await service.restart('SIGKILL')
    expect((await sendBatch()).status).toBe(503)
    await isWhole()
    rmSync(ballast())
    await until(async () => (await sendBatch()).status === 200)
    await isWhole()
  },
  240_000,
)
