import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FlatFields } from '../../model/fields.ts'
import { readManifest } from '../manifest.ts'
import { expire } from './expire.ts'
import { load, sweepUnnamed } from './load.ts'
import { chooseMerge, merge } from './merge.ts'
import { sourceRelation } from './relation.ts'
import { createBench } from './testing.ts'

const NOON = Date.UTC(2026, 10, 14, 12) * 1000
const HOUR = 3_600_000_000
const anyTime = { fromUs: null, toUs: null }
const now = Date.UTC(2026, 10, 15)

test('rows become parts, and parts and position become true together', async () => {
  const bench = await createBench()
  bench.addRows([{ id: 'a', ts: NOON, e: { message: 'hello', n: 1 } }], { n: 'integer' })
  await load(bench, bench.source)
  const manifest = readManifest(bench.source.dir)
  expect(manifest?.parts).toHaveLength(1)
  expect(manifest?.position).toBeGreaterThan(0)
  expect(manifest?.rowsLoaded).toBe(1)
  expect(bench.source.fresh).toHaveLength(0)
  const rows = await bench.select(`SELECT id, event_message, n FROM (${sourceRelation(bench.source, anyTime, now)})`)
  expect(rows).toEqual([['a', 'hello', '1']])
})

test('a part never crosses a UTC day', async () => {
  const bench = await createBench()
  bench.addRows(
    [0, 13, 26, 27].map((hours, i) => ({ id: `e${i}`, ts: NOON + hours * HOUR, e: { n: i } })),
    { n: 'integer' },
  )
  await load(bench, bench.source)
  expect(bench.source.manifest.parts.map(({ day, rows }) => [day, rows])).toEqual([
    ['2026-11-14', 1],
    ['2026-11-15', 3],
  ])
})

test('fresh rows and parts are one relation, also when fields appear and widen in between', async () => {
  const bench = await createBench()
  bench.addRows([{ id: 'a', ts: NOON, e: { ms: 7, meta: { x: 'one' } } }], {
    ms: 'integer',
    meta: 'object',
    'meta.x': 'string',
  })
  await load(bench, bench.source)
  bench.addRows([{ id: 'b', ts: NOON + 1, e: { ms: 2.5, meta: { y: [1, 2] }, late: true } }], {
    ms: 'float',
    'meta.y': 'integer[]',
    late: 'boolean',
  })
  const relation = sourceRelation(bench.source, anyTime, now)
  const before = await bench.select(`SELECT id, ms, meta.x, meta.y, late FROM (${relation}) ORDER BY id`)
  expect(before).toEqual([
    ['a', 7, 'one', null, null],
    ['b', 2.5, null, ['1', '2'], true],
  ])
  await load(bench, bench.source)
  const loaded = sourceRelation(bench.source, anyTime, now)
  expect(await bench.select(`SELECT id, ms, meta.x, meta.y, late FROM (${loaded}) ORDER BY id`)).toEqual(before)
})

test('the message is lifted, and kept beside event_message only when both were sent', async () => {
  const bench = await createBench()
  bench.addRows(
    [
      { id: 'm', ts: NOON, e: { message: 'short' } },
      { id: 'b', ts: NOON, e: { message: 'short', event_message: 'long' } },
      { id: 'n', ts: NOON, e: {} },
    ],
    { message: 'string' },
  )
  await load(bench, bench.source)
  const rows = await bench.select(
    `SELECT id, event_message, message FROM (${sourceRelation(bench.source, anyTime, now)}) ORDER BY id`,
  )
  expect(rows).toEqual([
    ['b', 'long', 'short'],
    ['m', 'short', null],
    ['n', null, null],
  ])
})

test('merging keeps every row and brings differing parts to one shape', async () => {
  const bench = await createBench()
  for (let i = 0; i < 8; i += 1) {
    bench.addRows([{ id: `e${i}`, ts: NOON + i, e: { [`f${i % 3}`]: i } }], { [`f${i % 3}`]: 'integer' })
    await load(bench, bench.source)
  }
  const chosen = chooseMerge(bench.source.manifest.parts)
  expect(chosen).toHaveLength(8)
  await merge(bench, bench.source, chosen!)
  expect(bench.source.manifest.parts).toHaveLength(1)
  expect(bench.source.manifest.parts[0]?.rows).toBe(8)
  const rows = await bench.select(
    `SELECT id, coalesce(f0, f1, f2) FROM (${sourceRelation(bench.source, anyTime, now)}) ORDER BY id`,
  )
  expect(rows).toEqual(Array.from({ length: 8 }, (_, i) => [`e${i}`, String(i)]))
  expect(readdirSync(join(bench.source.dir, '2026-11-14'))).toHaveLength(1)
})

test('nothing past its retention is returned, and whole parts go', async () => {
  const bench = await createBench()
  bench.addRows([{ id: 'old', ts: NOON - 48 * HOUR, e: {} }])
  await load(bench, bench.source)
  bench.addRows([{ id: 'new', ts: NOON, e: {} }])
  await load(bench, bench.source)
  bench.source.retentionDays = 1
  const relation = sourceRelation(bench.source, anyTime, now)
  expect(await bench.select(`SELECT id FROM (${relation})`)).toEqual([['new']])
  expect(expire(bench.store, bench.source, now)).toBe(1)
  expect(bench.source.manifest.parts.map((part) => part.day)).toEqual(['2026-11-14'])
})

test('only parts whose time range can match are read', async () => {
  const bench = await createBench()
  bench.addRows([{ id: 'a', ts: NOON, e: {} }])
  await load(bench, bench.source)
  bench.addRows([{ id: 'b', ts: NOON + HOUR, e: {} }])
  await load(bench, bench.source)
  const relation = sourceRelation(bench.source, { fromUs: NOON + 1, toUs: null }, now)
  expect(relation).not.toContain('00000001.parquet')
  expect(relation).toContain('00000002.parquet')
})

test('files of a running read stay until it ends', async () => {
  const bench = await createBench()
  bench.addRows([{ id: 'a', ts: NOON, e: {} }])
  const path = bench.source.fresh[0]!.path
  const reading = Promise.withResolvers<void>()
  const read = bench.store.read(() => reading.promise)
  await load(bench, bench.source)
  expect(existsSync(path)).toBe(true)
  reading.resolve()
  await read
  expect(existsSync(path)).toBe(false)
})

test('files that no manifest names are swept', async () => {
  const bench = await createBench()
  bench.addRows([{ id: 'a', ts: NOON, e: {} }])
  await load(bench, bench.source)
  const stray = join(bench.source.dir, '2026-11-14', '00000099.parquet')
  writeFileSync(stray, 'half a part')
  sweepUnnamed(bench.source, bench.source.manifest)
  expect(existsSync(stray)).toBe(false)
  expect(readdirSync(join(bench.source.dir, '2026-11-14'))).toEqual(['00000001.parquet'])
})

test('a source with a thousand fields is loaded and merged, over several days too', async () => {
  const { store, source, connection, addRows } = await createBench()
  const names = Array.from({ length: 1_000 }, (_, i) => `field_${i}`)
  const e = Object.fromEntries(names.map((name) => [name, name]))
  const fields: FlatFields = Object.fromEntries(names.map((name) => [name, 'string' as const]))
  addRows([{ id: 'a', ts: Date.UTC(2026, 10, 14) * 1000, e }], fields)
  addRows([{ id: 'b', ts: Date.UTC(2026, 10, 15) * 1000, e }])
  await load({ connection, store }, source)
  expect(source.manifest.parts).toHaveLength(2)
  addRows([{ id: 'c', ts: Date.UTC(2026, 10, 15) * 1000, e }])
  await load({ connection, store }, source)
  await merge({ connection, store }, source, source.manifest.parts.slice(1))
  expect(source.manifest.parts.map(({ rows }) => rows)).toEqual([1, 2])
}, 60_000)
