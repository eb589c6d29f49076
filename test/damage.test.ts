/** Damaged files are set aside and named; what they do not hold stays readable, and ingest goes on. */
import { globSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ALWAYS,
  ask,
  count,
  fillUp,
  health,
  json,
  newSource,
  type Row,
  store,
  untilInParts,
} from './support/dialogue.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.remove())

function flip(path: string, at: number, bytes: number): void {
  const content = readFileSync(path)
  for (let i = at; i < at + bytes; i += 1) content[i] = content[i]! ^ 0xff
  writeFileSync(path, content)
}

const middle = (path: string): number => Math.floor(statSync(path).size / 2)

const damages: [string, (path: string) => void][] = [
  ['bytes flipped in the middle', (path) => flip(path, middle(path) - 200, 400)],
  ['the end cut off', (path) => truncateSync(path, middle(path))],
  ['the file gone', (path) => rmSync(path)],
  ['the footer overwritten', (path) => flip(path, statSync(path).size - 40, 30)],
]

/** A source with two parts of the same rows; gives the path of the first. */
async function sourceWithParts(name: string): Promise<string> {
  const { token } = await newSource(service, name)
  const partsOf = (): string[] => globSync(join(service.dataDir, 'warehouse', token, '*/*.parquet')).sort()
  for (const part of [1, 2]) {
    await store(service, name, [{ part }])
    await fillUp(service, name)
    if (part === 1) await untilInParts(service, token)
    await until(() => partsOf().length === part, 30_000)
  }
  await until(async () => (await count(service, name, 'part = 2')) === 1)
  return partsOf()[0]!
}

const namedDamage = async (path: string): Promise<Row | undefined> =>
  (await health(service)).warehouse.damaged.find((one: Row) => path.endsWith(join(one.source, one.file)))

async function expectTheRest(name: string, path: string): Promise<void> {
  // Every column, so that the damaged bytes are met wherever they are.
  const everything = `select part, event_message, id from \`${name}\` where ${ALWAYS} order by timestamp limit 1000`
  const answer = await ask(service, everything)
  expect(answer.status, await answer.clone().text()).toBe(200)
  expect((await json(answer)).result.filter((row: Row) => row.part !== null)).toMatchObject([{ part: 2 }])
  expect(await namedDamage(path)).toMatchObject({ reason: expect.stringMatching(/.+/) })
  expect((await namedDamage(path))?.reason).not.toContain(service.dataDir)
  await store(service, name, [{ part: 3 }])
  expect(await count(service, name, 'part is not null')).toBe(2)
}

test('a part that is damaged while the service runs', async () => {
  const paths = await Promise.all(damages.map((_, i) => sourceWithParts(`running-${i}`)))
  for (const [i, [, damage]] of damages.entries()) {
    damage(paths[i]!)
    await expectTheRest(`running-${i}`, paths[i]!)
  }
}, 240_000)

test('a part that is found damaged at the start', async () => {
  const paths = await Promise.all(damages.map((_, i) => sourceWithParts(`starting-${i}`)))
  await service.kill('SIGTERM')
  for (const [i, [, damage]] of damages.entries()) damage(paths[i]!)
  await service.restart()
  for (const [i] of damages.entries()) await expectTheRest(`starting-${i}`, paths[i]!)
  await service.restart()
  for (const path of paths) expect(await namedDamage(path), 'still named after another start').toBeDefined()
}, 240_000)

test('a single flipped byte, which may read as another value, is found after the next start', async () => {
  const path = await sourceWithParts('flipped')
  await service.kill('SIGTERM')
  flip(path, middle(path), 1)
  await service.restart()
  await until(async () => (await namedDamage(path)) !== undefined)
  await expectTheRest('flipped', path)
}, 240_000)

test('a damaged frame of the journal costs that frame only and is named', async () => {
  await newSource(service, 'framed')
  for (const n of [1, 2, 3]) await store(service, 'framed', [{ n, message: `frame number ${n} `.repeat(20) }])
  await service.kill('SIGKILL')
  const segment = globSync(join(service.dataDir, 'journal/*.log'))
    .sort()
    .findLast((path) => readFileSync(path).includes('frame number 2'))!
  flip(segment, readFileSync(segment).indexOf('frame number 2') + 40, 8)
  await service.restart()
  expect((await health(service)).journal.damaged).toMatchObject([{ segment: expect.stringContaining('.log') }])
  expect(await count(service, 'framed')).toBe(2)
  await store(service, 'framed', [{ n: 4 }])
  await fillUp(service, 'framed')
  await until(async () => (await count(service, 'framed', 'n is not null')) === 3)
}, 240_000)
