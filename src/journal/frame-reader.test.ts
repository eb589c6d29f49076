import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Frame, Position } from '../model/journal.ts'
import { createFrameReader, type FrameReader } from './frame-reader.ts'
import { openJournal } from './journal.ts'
import type { Damage } from './segments.ts'
import { anyFrame, inTempDir, segmentsIn, textFrame } from './testing.ts'

/** Appends frame by frame and returns all frame borders. */
async function write(dir: string, frames: Frame[], segmentBytes: number): Promise<Position[]> {
  const journal = await openJournal({ dir, segmentBytes })
  const borders = [0]
  for (const frame of frames) borders.push(await journal.append([frame]))
  await journal.stop()
  return borders
}

async function readAll(reader: FrameReader, from: Position, to: Position) {
  const frames: Frame[] = []
  const borders: Position[] = []
  const reached = await reader.read(from, to, (header, body, position, next) => {
    frames.push({ ...header, body: new Uint8Array(body) })
    borders.push(position, next)
  })
  return { frames, borders, reached }
}

test('any range between frame borders comes back, whatever the sizes of frames, segments and chunks', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame(300), { minLength: 1, maxLength: 12 }),
      fc.constantFrom(10, 500, 100_000),
      fc.constantFrom(1, 64, 100, 1000, 100_000),
      fc.nat(),
      fc.nat(),
      (frames, segmentBytes, chunkBytes, a, b) =>
        inTempDir(async (dir) => {
          const borders = await write(dir, frames, segmentBytes)
          const [x, y] = [a % borders.length, b % borders.length]
          const [first, last] = [Math.min(x, y), Math.max(x, y)]
          const reader = createFrameReader({ dir, chunkBytes })
          const read = await readAll(reader, borders[first]!, borders[last]!)
          expect(read.frames).toEqual(frames.slice(first, last))
          expect(read.borders).toEqual(
            frames.slice(first, last).flatMap((_, i) => borders.slice(first + i, first + i + 2)),
          )
          expect(read.reached).toBe(borders[last])
        }),
    ),
    { numRuns: 60 },
  ))

test('a reader follows a journal that grows, and does not look beyond the position it was told', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, segmentBytes: 150 })
    const reader = createFrameReader({ dir })
    const seen: string[] = []
    let at: Position = 0
    for (let i = 0; i < 10; i++) {
      const to = await journal.append([textFrame(`event ${i}`)])
      await journal.append([textFrame(`later ${i}`)])
      at = await reader.read(at, to, (_, body) => seen.push(body.toString()))
      expect(at).toBe(to)
    }
    expect(seen.at(-1)).toBe('event 9')
    expect(seen).toHaveLength(19)
    await journal.stop()
  }))

test('a read that is limited stops at a frame border, and the next goes on there', () =>
  inTempDir(async (dir) => {
    const frames = ['a', 'b', 'c', 'd', 'e'].map(textFrame)
    const borders = await write(dir, frames, 140)
    const reader = createFrameReader({ dir })
    const stops: Position[] = []
    const seen: string[] = []
    for (let at = 0; at < borders.at(-1)!; stops.push(at)) {
      at = await reader.read(at, borders.at(-1)!, (_, body) => seen.push(body.toString()), 66)
    }
    expect(seen.join('')).toBe('abcde')
    expect(stops).toEqual([borders[2], borders[4], borders[5]])
  }))

test.each([
  ['a broken header is skipped', 0, false, ['a', 'c']],
  ['a broken body is skipped when checksums are asked for', 64, true, ['a', 'c']],
  ['a broken body passes when they are not', 64, false, ['a', '\ufffd', 'c']],
])('%s', (_, hurt, verify, expected) =>
  inTempDir(async (dir) => {
    const borders = await write(dir, ['a', 'b', 'c'].map(textFrame), 1000)
    const path = join(dir, (await segmentsIn(dir))[0]!)
    const bytes = await readFile(path)
    bytes[borders[1]! + hurt]! ^= 0x80
    await writeFile(path, bytes)
    const damaged: Damage[] = []
    const reader = createFrameReader({ dir, verify, onDamage: (damage) => damaged.push(damage) })
    const seen: string[] = []
    expect(await reader.read(0, borders[3]!, (_header, body) => seen.push(body.toString()))).toBe(borders[3])
    expect(seen).toEqual(expected)
    expect(damaged.map(({ from, to }) => [from, to])).toEqual(expected.length === 2 ? [[borders[1], borders[2]]] : [])
  }),
)

test('segments before the first one left are no damage: everyone has passed them', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, notBefore: 4000 })
    const end = await journal.append([textFrame('x')])
    const damaged: Damage[] = []
    const reader = createFrameReader({ dir, onDamage: (damage) => damaged.push(damage) })
    expect((await readAll(reader, 0, end)).frames).toHaveLength(1)
    expect(damaged).toEqual([])
    await journal.stop()
  }))
