import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { uuid4 } from '../../base/ids.ts'
import { createFrameReader } from '../../journal/frame-reader.ts'
import { type Journal, openJournal } from '../../journal/journal.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { Frame } from '../../model/journal.ts'
import { createCutter } from './cut.ts'
import { openLoader } from './duck.ts'
import { sourceRelation } from './relation.ts'
import { createStore } from './store.ts'
import { createUpkeep, floor } from './upkeep.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const NOW = Date.UTC(2026, 10, 15, 12)

function rows(source: string, ids: string[]): Frame {
  const ts = NOW * 1000
  const body = Buffer.from(ids.map((id) => `{"id":"${id}","ts":${ts},"e":{"n":1}}\n`).join(''))
  return { kind: 'events', source, count: ids.length, minUs: ts, maxUs: ts, body }
}

function fields(source: string, flat: FlatFields): Frame {
  return { kind: 'fields', source, count: 0, minUs: 0, maxUs: 0, body: Buffer.from(JSON.stringify(flat)) }
}

type Engine = Awaited<ReturnType<typeof startEngine>>

async function startEngine(dir: string, journal: Journal, from: number) {
  let nowMs = NOW
  const clock = { nowMs: () => nowMs }
  const connection = await openLoader({ threads: 1, spillDir: join(dir, 'spill') })
  const store = createStore({ dir: join(dir, 'warehouse') })
  const frames = createFrameReader({ dir: join(dir, 'journal') })
  const cutter = createCutter({ dir: join(dir, 'fresh'), store, frames, clock, start: from })
  const upkeep = createUpkeep({ connection, store, cutter, clock, onStep: () => {}, onDamage: () => {} })
  upkeep.journalEnd(journal.end)
  stops.push(() => upkeep.stop())
  return {
    store,
    cutter,
    upkeep,
    pass: (ms: number) => {
      nowMs += ms
    },
    async ids(source: string): Promise<string[]> {
      const relation = sourceRelation(store.source(source), { fromUs: null, toUs: null }, nowMs)
      const found = await connection.runAndReadAll(`SELECT id FROM (${relation}) ORDER BY id`)
      return found.getRows().map(([id]) => String(id))
    },
  }
}

async function setUp(): Promise<{ dir: string; journal: Journal }> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-upkeep-'))
  mkdirSync(join(dir, 'journal'))
  const journal = await openJournal({ dir: join(dir, 'journal') })
  stops.push(() => journal.stop())
  return { dir, journal }
}

async function untilLoaded(engine: Engine, source: string): Promise<void> {
  await vi.waitFor(() => expect(engine.store.source(source).manifest.parts.length).toBeGreaterThan(0), {
    timeout: 10_000,
  })
}

test('rows are readable as soon as they are cut, and exactly once after they were loaded', async () => {
  const { dir, journal } = await setUp()
  const source = uuid4()
  await journal.append([fields(source, { n: 'integer' }), rows(source, ['a', 'b'])])
  const engine = await startEngine(dir, journal, 0)
  await engine.cutter.advance(journal.end)
  expect(await engine.ids(source)).toEqual(['a', 'b'])
  engine.pass(60_000)
  await untilLoaded(engine, source)
  expect(await engine.ids(source)).toEqual(['a', 'b'])
  expect(floor(engine.store, engine.cutter)).toBe(journal.end)
})

test('a restart from an old position loads nothing twice', async () => {
  const { dir, journal } = await setUp()
  const [one, two] = [uuid4(), uuid4()]
  await journal.append([fields(one, { n: 'integer' }), rows(one, ['a'])])
  const before = await startEngine(dir, journal, 0)
  await before.cutter.advance(journal.end)
  before.pass(60_000)
  await untilLoaded(before, one)
  await before.upkeep.stop()

  await journal.append([rows(one, ['b']), fields(two, { n: 'integer' }), rows(two, ['c'])])
  const after = await startEngine(dir, journal, 0)
  await after.cutter.advance(journal.end)
  expect(await after.ids(one)).toEqual(['a', 'b'])
  expect(await after.ids(two)).toEqual(['c'])
})

test('a deleted source does not come back from the journal', async () => {
  const { dir, journal } = await setUp()
  const source = uuid4()
  await journal.append([fields(source, { n: 'integer' }), rows(source, ['a'])])
  const before = await startEngine(dir, journal, 0)
  await before.cutter.advance(journal.end)
  before.store.remove(before.store.source(source), journal.end)
  expect(await before.ids(source)).toEqual([])
  await before.upkeep.stop()

  const after = await startEngine(dir, journal, 0)
  await after.cutter.advance(journal.end)
  expect(await after.ids(source)).toEqual([])
  expect(readdirSync(join(dir, 'fresh'))).toEqual([])
})

test('fields that came without rows are saved before the journal may go', async () => {
  const { dir, journal } = await setUp()
  const source = uuid4()
  await journal.append([fields(source, { n: 'integer' })])
  const engine = await startEngine(dir, journal, 0)
  await engine.cutter.advance(journal.end)
  expect(floor(engine.store, engine.cutter)).toBe(0)
  await vi.waitFor(() => expect(engine.store.source(source).manifest.fields).toEqual({ n: 'integer' }))
  expect(floor(engine.store, engine.cutter)).toBe(journal.end)
})

test('a source that cannot be loaded does not keep the others from being loaded, and is named as the last error', async () => {
  const { dir, journal } = await setUp()
  const [broken, sound] = [uuid4(), uuid4()]
  const nonsense = { ...rows(broken, ['a']), body: Buffer.from('{"id":"a","ts":\n') }
  await journal.append([
    fields(broken, { n: 'integer' }),
    nonsense,
    fields(sound, { n: 'integer' }),
    rows(sound, ['b']),
  ])
  const engine = await startEngine(dir, journal, 0)
  await engine.cutter.advance(journal.end)
  engine.pass(60_000)
  await untilLoaded(engine, sound)
  expect(await engine.ids(sound)).toEqual(['b'])
  expect(engine.upkeep.lastError).toContain(broken)
  expect(floor(engine.store, engine.cutter)).toBe(0)
})
