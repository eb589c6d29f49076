/** Backup and restore through the built command, while events keep coming. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { millrace } from './support/millrace.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'))
  service = await startService()
})
afterAll(async () => {
  await service.remove()
  rmSync(folder, { recursive: true, force: true })
})

const inFolder = (name: string): string => join(folder, name)

async function newSource(name: string): Promise<string> {
  const answer = await service.fetch('/api/sources', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  const { token }: { token: string } = JSON.parse(await answer.text())
  return token
}

/** Sends batches from several connections until told to stop; knows what was sent and what was acknowledged. */
function startSending(source: string) {
  const sent = new Set<string>()
  const acknowledged = new Set<string>()
  let isOver = false
  let batches = 0
  async function sender(name: string): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      const ids = [...Array(100).keys()].map((i) => `${name}-${n}-${i}`)
      for (const id of ids) sent.add(id)
      const answer = await service.fetch(`/api/logs?source=${source}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ids.map((id) => ({ id, message: `event ${id}`, metadata: { n, text: 'x'.repeat(200) } }))),
      })
      if (answer.status !== 200) throw new Error(await answer.text())
      for (const id of ids) acknowledged.add(id)
      batches += 1
    }
  }
  const senders = ['a', 'b', 'c'].map((name) => sender(`${source.slice(0, 4)}-${name}`))
  return {
    sent,
    acknowledged,
    async batches(count: number) {
      while (batches < count) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    async stop() {
      isOver = true
      await Promise.all(senders)
    },
  }
}

async function storedIds(from: Service, source: string): Promise<string[]> {
  const ids: string[] = []
  let before = ''
  for (;;) {
    const answer = await from.fetch(`/api/sources/${source}/search?limit=1000${before}`, {
      headers: { authorization: `Bearer ${service.managementToken}` },
    })
    const page: { events: { id: string }[]; next: string | null } = JSON.parse(await answer.text())
    ids.push(...page.events.map(({ id }) => id))
    if (page.next === null) return ids
    before = `&before=${encodeURIComponent(page.next)}`
  }
}

function expectExactly(ids: string[], known: { before: Set<string>; sent: Set<string> }): void {
  const stored = new Set(ids)
  expect(ids.length - stored.size, 'events that are there twice').toBe(0)
  expect(
    [...known.before].filter((id) => !stored.has(id)),
    'acknowledged events that are missing',
  ).toEqual([])
  expect(
    ids.filter((id) => !known.sent.has(id)),
    'events that nobody sent',
  ).toEqual([])
}

describe('a backup of a busy service', () => {
  /** Some of its events are in parts. */
  const untilLoaded = (source: string): Promise<void> =>
    until(async () => {
      const { metrics } = JSON.parse(await (await service.fetch(`/api/sources/${source}`)).text())
      return metrics.bytes > 0
    }, 60_000)

  test('restores to exactly the acknowledged events, whatever form it has', { timeout: 240_000 }, async () => {
    const [one, two] = [await newSource('one'), await newSource('two')]
    const traffic = [startSending(one), startSending(two)]
    const backups: { target: string; before: Set<string>[] }[] = []
    for (const [i, name] of ['first.tar', 'second.tar.zst', 'third'].entries()) {
      for (const { batches } of traffic) await batches(80 * (i + 1))
      if (name === 'third') await untilLoaded(one)
      const before = traffic.map(({ acknowledged }) => new Set(acknowledged))
      const { code, stderr } = await millrace(['backup', inFolder(name)], { service })
      expect(stderr).toBe('')
      expect(code).toBe(0)
      backups.push({ target: inFolder(name), before })
    }
    for (const { stop } of traffic) await stop()
    // Some events are in parts by now, some only in the journal: both ways must have been taken.
    expect(readFileSync(inFolder('third/backup.json'), 'utf8')).toMatch(/\.parquet/)

    for (const { target, before } of backups) {
      const dataDir = `${target}-data`
      expect(await millrace(['restore', target, '--data', dataDir])).toMatchObject({ code: 0, stderr: '' })
      const restored = await startService({ dataDir })
      try {
        for (const [i, source] of [one, two].entries())
          expectExactly(await storedIds(restored, source), { before: before[i]!, sent: traffic[i]!.sent })
        const health: { journal: { damaged: unknown[] } } = JSON.parse(await (await restored.fetch('/health')).text())
        expect(health.journal.damaged).toEqual([])
        // It takes events like any other.
        const again = await restored.fetch(`/api/logs?source=${one}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${service.managementToken}`, 'content-type': 'application/json' },
          body: '{"id":"after","message":"after the restore"}',
        })
        expect(again.status).toBe(200)
        expect(await storedIds(restored, one)).toContain('after')
      } finally {
        await restored.kill('SIGTERM')
      }
    }

    // A folder that nobody uses gives the same events.
    const dataDir = inFolder('first.tar-data')
    expect(await millrace(['backup', inFolder('still.tar'), '--data', dataDir])).toMatchObject({ code: 0, stderr: '' })
    const copy = inFolder('still-data')
    expect(await millrace(['restore', inFolder('still.tar'), '--data', copy])).toMatchObject({ code: 0 })
    const [first, second] = [await startService({ dataDir }), await startService({ dataDir: copy })]
    try {
      expect((await storedIds(second, one)).sort()).toEqual((await storedIds(first, one)).sort())
    } finally {
      await first.kill('SIGTERM')
      await second.kill('SIGTERM')
    }
  })
})

describe('what backup and restore refuse', () => {
  beforeAll(async () => {
    expect(await millrace(['backup', inFolder('good.tar')], { service })).toMatchObject({ code: 0 })
  })

  test('restore leaves a folder with anything in it alone', async () => {
    const { code, stderr } = await millrace(['restore', inFolder('good.tar'), '--data', service.dataDir])
    expect(code).toBe(1)
    expect(stderr).toContain('is not empty')
  })

  test.each([
    ['one changed byte', (file: string) => flip(file, Math.floor(statSync(file).size / 2)), /damaged|no backup/],
    ['a cut end', (file: string) => truncateSync(file, Math.floor(statSync(file).size * 0.7)), /too early|not whole/],
    ['another kind of file', (file: string) => writeFileSync(file, 'hello'.repeat(500)), /no tar archive/],
  ])('restore refuses a backup with %s and makes no data folder of it', async (name, harm, words) => {
    const [file, dataDir] = [inFolder(`${name}.tar`), inFolder(`${name} data`)]
    copyFileSync(inFolder('good.tar'), file)
    harm(file)
    const { code, stderr } = await millrace(['restore', file, '--data', dataDir])
    expect(code).toBe(1)
    expect(stderr).toMatch(words)
    expect(await millrace(['restore', inFolder('good.tar'), '--data', dataDir])).toMatchObject({ code: 0 })
  })

  test('backup does not write over what is there, nor copy a folder that a service uses', async () => {
    expect(await millrace(['backup', inFolder('good.tar')], { service })).toMatchObject({ code: 2 })
    const { code, stderr } = await millrace(['backup', inFolder('x.tar'), '--data', service.dataDir])
    expect(code).toBe(1)
    expect(stderr).toContain('Another process is using the data folder')
  })

  test('only the first account gets one', async () => {
    const made = await service.fetch('/api/accounts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'other' }),
    })
    const { management_token }: { management_token: string } = JSON.parse(await made.text())
    const other = { url: service.url, managementToken: management_token }
    expect(await millrace(['backup', inFolder('y.tar')], { service: other })).toMatchObject({ code: 4 })
  })

  test('the key of stored secrets stays behind when asked to', async () => {
    const { stdout } = await millrace(['backup', inFolder('no-key'), '--without-secret-key', '--json'], { service })
    expect(JSON.parse(stdout)).toMatchObject({ verified: true, secret_key: false })
  })
})

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = bytes[at]! ^ 0xff
  writeFileSync(file, bytes)
}
