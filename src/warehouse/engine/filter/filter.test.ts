import { createHash as createDigest } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Needles } from '../../../model/needles.ts'
import { load, sweepUnnamed } from '../load.ts'
import { merge } from '../merge.ts'
import { bytesOf, type Look, readingOf, relationOf } from '../relation.ts'
import { type Bench, createBench, type Row } from '../testing.ts'
import { decodeFilter, encodeFilter, filterFile, granulesOf } from './filter.ts'
import { createFilters } from './filters.ts'
import { addFilter, forgetLostFilters, keyOf, partWithoutFilter } from './keep.ts'
import { soughtMarks, want } from './seek.ts'
import { createHash } from './values.ts'

const NOON = Date.UTC(2026, 10, 15, 12) * 1000
const NOW_MS = NOON / 1000 + 60_000
const ROWS = 9_000
const FIELDS = { trace: 'string', user: 'object', 'user.id': 'string', plan: 'string', ballast: 'string[]' } as const

/** Texts that meet the edges: nothing, one byte, several alphabets, escapes, a NUL, halves of words. */
const PIECES = ['kraken', 'Ωmega', '日本語', '"quoted"', 'back\\slash', 'tab\there', 'nul\0nul', '💧', 'a', '']

/** The ballast does not compress, which gives the parts a size that allows a filter. */
const rows: Row[] = Array.from({ length: ROWS }, (_, i) => ({
  id: `id-${i}`,
  ts: NOON + i * 1000 + ((i * 7919) % 5000),
  e: {
    event_message: `request ${i % 97} took ${i % 13} ms ${i % 1500 === 7 ? PIECES[Math.floor(i / 1500) % PIECES.length] : ''} ${i === 4321 ? PIECES.join('~') : ''}`,
    trace: `t${(i * 2654435761) % 4294967296}`,
    ...(i % 3 === 0 ? {} : { user: { id: `u-${(i * 40503) % 65536}` } }),
    plan: i % 2 ? 'free' : 'team',
    ballast: ['a', 'b'].map((salt) => createDigest('sha512').update(`${salt}${i}`).digest('base64')),
  },
}))

let bench: Bench
beforeAll(async () => {
  bench = await createBench()
  bench.addRows(rows.slice(0, 6000), FIELDS)
  await load(bench, bench.source)
  bench.addRows(rows.slice(6000))
  await load(bench, bench.source)
  for (const field of ['event_message', 'trace', 'user.id', 'plan', 'nowhere']) bench.source.wanted.add(field)
  for (const part of bench.source.manifest.parts) expect(await addFilter(bench, bench.source, part)).toBe(true)
})

async function lookFor(needles: Needles): Promise<Look | null> {
  const sought = await soughtMarks(needles, createHash(bench.connection))
  return sought && { sought, filters: createFilters() }
}

async function ids(needles: Needles, where: string, isFiltered: boolean): Promise<unknown[]> {
  const look = isFiltered ? await lookFor(needles) : null
  const relation = relationOf(bench.source, readingOf(bench.source, { fromUs: null, toUs: null }, NOW_MS, look))
  return (await bench.select(`SELECT id FROM (${relation}) WHERE ${where} ORDER BY id`)).flat()
}

const sqlText = (text: string): string => `decode(unhex('${Buffer.from(text).toString('hex')}'))`

/** A piece of some row's message, of a planted text, or of nothing at all. */
const piece = fc.oneof(
  fc.tuple(fc.nat(ROWS - 1), fc.nat(40), fc.integer({ min: 0, max: 12 })).map(([row, from, length]) => {
    const message = String(rows[row]!.e.event_message)
    return message.slice(from, from + length)
  }),
  fc.constantFrom(...PIECES),
  fc.string({ maxLength: 6 }),
)

const value = fc.oneof(
  fc.nat(ROWS - 1).map((row) => String(rows[row]!.e.trace)),
  fc.string({ maxLength: 8 }),
)

test('no row that holds what is sought is hidden, and every other answer is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 2 }),
      fc.option(fc.array(value, { minLength: 1, maxLength: 3 }), { freq: 3 }),
      async (contains, anyOf) => {
        const needles = { contains, equals: anyOf ? [{ field: 'trace', anyOf }] : [] }
        const conditions = [
          ...contains.filter((text) => text.isWellFormed()).map((text) => `contains(event_message, ${sqlText(text)})`),
          ...(anyOf ? [`trace IN (${anyOf.map(sqlText).join(', ')})`] : []),
        ]
        const where = ['TRUE', ...conditions].join(' AND ')
        expect(await ids(needles, where, true)).toEqual(await ids(needles, where, false))
      },
    ),
    { numRuns: 60 },
  )
})

describe('what is in few rows is looked for in few places', () => {
  test.each<[string, Needles]>([
    ['a word', { contains: ['kraken'], equals: [] }],
    ['a word of another alphabet', { contains: ['日本語'], equals: [] }],
    ['a value', { contains: [], equals: [{ field: 'trace', anyOf: [String(rows[4321]!.e.trace)] }] }],
    [
      'a value of a field in an object',
      { contains: [], equals: [{ field: 'user.id', anyOf: [`u-${(4321 * 40503) % 65536}`] }] },
    ],
  ])('%s', async (_, needles) => {
    const all = readingOf(bench.source, { fromUs: null, toUs: null }, NOW_MS)
    const some = readingOf(bench.source, { fromUs: null, toUs: null }, NOW_MS, await lookFor(needles))
    expect(bytesOf(some) < bytesOf(all) || some.gaps.length > 0).toBe(true)
  })

  test('what is nowhere opens no part', async () => {
    const look = await lookFor({ contains: ['nowhere to be found'], equals: [] })
    expect(readingOf(bench.source, { fromUs: null, toUs: null }, NOW_MS, look).parts).toEqual([])
  })
})

test('a filter takes at most a twentieth of its part', () => {
  for (const { bytes, filter } of bench.source.manifest.parts) expect(filter!.bytes).toBeLessThanOrEqual(bytes / 20)
})

test('a damaged, cut or missing filter is no filter', () => {
  const part = bench.source.manifest.parts[0]!
  const path = join(bench.source.dir, filterFile(part.file))
  const whole = readFileSync(path)
  for (const at of [0, 5, 40, 5000, whole.length - 1]) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 1
    expect(decodeFilter(changed)).toBeNull()
  }
  expect(decodeFilter(whole.subarray(0, 4000))).toBeNull()
  rmSync(path)
  expect(createFilters().of(bench.source.dir, part)).toBeNull()
  writeFileSync(path, whole)
  expect(createFilters().of(bench.source.dir, part)).not.toBeNull()
})

test('a filter reads back as it was written', () => {
  const part = bench.source.manifest.parts[0]!
  const filter = createFilters().of(bench.source.dir, part)!
  expect(decodeFilter(encodeFilter(filter))).toEqual(filter)
})

test('a filter made with another hash says nothing of values', async () => {
  const trace = String(rows[1]!.e.trace)
  const look = (await lookFor({ contains: [], equals: [{ field: 'trace', anyOf: [trace] }] }))!
  const other = { ...look, sought: { ...look.sought, hash: 'another' } }
  expect(readingOf(bench.source, { fromUs: null, toUs: null }, NOW_MS, other).parts).toHaveLength(2)
})

test('few filters are kept in memory, and those used last', () => {
  const [one, two] = bench.source.manifest.parts
  const filters = createFilters({ keptBytes: 1 })
  const first = filters.of(bench.source.dir, one!)
  expect(filters.of(bench.source.dir, one!)).toBe(first)
  filters.of(bench.source.dir, two!)
  expect(filters.of(bench.source.dir, one!)).not.toBe(first)
})

test('only what was looked for is marked, and of that only what is worth it', () => {
  const filter = createFilters().of(bench.source.dir, bench.source.manifest.parts[0]!)!
  expect(filter.sections.map(({ field }) => field)).toEqual(['event_message', 'trace', 'user.id'])
})

test('a part lacks a filter as soon as something else is looked for', async () => {
  const { source } = bench
  const all = source.manifest.parts.map((part) => ({ ...part, bytes: 2 ** 20 }))
  const seen = { ...source, manifest: { ...source.manifest, parts: all }, wanted: new Set(source.wanted) }
  expect(partWithoutFilter(seen, new Set())).toBeUndefined()
  want(seen.wanted, { hash: '', tests: [{ kind: 'values', field: 'id', alternatives: [] }] })
  expect(partWithoutFilter(seen, new Set())).toBe(all.at(-1))
  expect(partWithoutFilter(seen, new Set(all.map((part) => keyOf(seen, part))))).toBeUndefined()
})

test('a filter is not made again for a field that is not worth marking', async () => {
  const part = bench.source.manifest.parts[0]!
  const path = join(bench.source.dir, filterFile(part.file))
  const before = statSync(path).mtimeMs
  bench.source.wanted.add('timestamp')
  expect(await addFilter(bench, bench.source, part)).toBe(true)
  expect(statSync(path).mtimeMs).toBe(before)
  expect(bench.source.manifest.parts[0]!.filter!.fields).toContain('timestamp')
})

test('a filter that a crash left half is forgotten at the next start', () => {
  const { source } = bench
  const path = join(source.dir, filterFile(source.manifest.parts[0]!.file))
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, 100))
  const started = { ...source }
  forgetLostFilters(started)
  expect(started.manifest.parts.map(({ filter }) => filter !== undefined)).toEqual([false, true])
  writeFileSync(path, whole)
})

test('a start keeps the filters of parts and sweeps others', () => {
  const [part] = bench.source.manifest.parts
  const path = join(bench.source.dir, filterFile(part!.file))
  const stray = path.replace(/\d+\.filter$/, '99999999.filter')
  writeFileSync(stray, 'left by a crash')
  sweepUnnamed(bench.source, bench.source.manifest)
  expect([existsSync(path), existsSync(stray)]).toEqual([true, false])
})

test('a merged part has the granules of all its inputs, and may hold anything where a small one had no filter', async () => {
  const late: Row = { id: 'late', ts: NOON + 5, e: { event_message: 'a late kraken' } }
  bench.addRows([late])
  await load(bench, bench.source)
  const before = bench.source.manifest.parts.map((part) => createFilters().of(bench.source.dir, part))
  expect(before.at(-1)).toBeNull()
  await merge(bench, bench.source, [...bench.source.manifest.parts])
  const [merged] = bench.source.manifest.parts
  const filter = createFilters().of(bench.source.dir, merged!)!
  expect(granulesOf(filter)).toBe(before.reduce((sum, of) => sum + (of ? granulesOf(of) : 1), 0))
  const needles = { contains: ['kraken'], equals: [] }
  const where = `contains(event_message, 'kraken')`
  const found = await ids(needles, where, true)
  expect(found).toEqual(await ids(needles, where, false))
  expect(found).toContain('late')
})
