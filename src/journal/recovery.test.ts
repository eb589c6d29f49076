import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Frame } from '../model/journal.ts'
import { frameBytes } from './frame.ts'
import { openJournal } from './journal.ts'
import { inTempDir, segmentsIn, storedTexts, textFrame } from './testing.ts'

const FIRST = '0000000000000000.log'

async function write(dir: string, frames: Frame[], segmentBytes = 1_000_000): Promise<void> {
  const journal = await openJournal({ dir, segmentBytes })
  for (const frame of frames) await journal.append([frame])
  await journal.stop()
}

/** A frame whose body is another frame's bytes, which a careless search would find. */
const nested = async (): Promise<Frame> =>
  inTempDir(async (dir) => {
    await write(dir, [textFrame('inner')])
    return { ...textFrame(''), body: await readFile(join(dir, FIRST)) }
  })

test('a cut at any byte keeps every whole frame before it and appends cleanly after it', async () => {
  const frames = [textFrame('one'), await nested(), textFrame(''), textFrame('four')]
  const sizes = frames.map(frameBytes)
  const total = sizes.reduce((a, b) => a + b)
  const bytes = await inTempDir(async (dir) => {
    await write(dir, frames)
    return readFile(join(dir, FIRST))
  })
  expect(bytes.length).toBe(total)
  for (let cut = 0; cut <= total; cut++) {
    await inTempDir(async (dir) => {
      await writeFile(join(dir, FIRST), bytes.subarray(0, cut))
      let whole = 0
      let end = 0
      while (whole < sizes.length && end + sizes[whole]! <= cut) end += sizes[whole++]!
      const kept = frames.slice(0, whole).map(({ body }) => Buffer.from(body).toString())

      const journal = await openJournal({ dir })
      expect(journal.recovery).toEqual({ cutBytes: cut - end, damaged: [], positionsLost: false })
      expect(journal.end).toBe(end)
      await journal.append([textFrame('after')])
      expect(await storedTexts(journal)).toEqual([...kept, 'after'])
      await journal.stop()
      const again = await openJournal({ dir })
      expect(again.recovery.cutBytes).toBe(0)
      expect(await storedTexts(again)).toEqual([...kept, 'after'])
      await again.stop()
    })
  }
})

test('random flips of bytes lose the frames they hit and no other', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(200, 1_000_000),
      (texts, flips, segmentBytes) =>
        inTempDir(async (dir) => {
          const frames = texts.map(textFrame)
          await write(dir, frames, segmentBytes)
          const flipped = await flip(dir, flips)
          let at = 0
          const unhurt = frames.filter((frame) => {
            const [from, to] = [at, at + frameBytes(frame)]
            at = to
            return !flipped.some((position) => position >= from && position < to)
          })
          const journal = await openJournal({ dir })
          await journal.append([textFrame('after')])
          const expected = [...unhurt.map(({ body }) => Buffer.from(body).toString()), 'after']
          expect(await storedTexts(journal)).toEqual(expected)
          await journal.stop()
        }),
    ),
    { numRuns: 60 },
  ))

/** Flips bytes anywhere in the journal and returns the positions that differ now. */
async function flip(dir: string, flips: [number, number][]): Promise<number[]> {
  const segments = (await segmentsIn(dir)).map((name) => ({ name, start: Number(name.slice(0, 16)) }))
  const files = await Promise.all(segments.map(({ name }) => readFile(join(dir, name))))
  const total = files.reduce((sum, file) => sum + file.length, 0)
  const masks = new Map<number, number>()
  for (const [at, mask] of flips) masks.set(at % total, mask)
  for (const [position, mask] of masks) {
    const i = segments.findLastIndex(({ start }) => start <= position)
    files[i]![position - segments[i]!.start]! ^= mask
  }
  await Promise.all(files.map((file, i) => writeFile(join(dir, segments[i]!.name), file)))
  return [...masks.keys()]
}

test('a bad frame with whole frames after it is reported and left on disk, not cut', () =>
  inTempDir(async (dir) => {
    const frames = ['one', 'two', 'three'].map(textFrame)
    await write(dir, frames)
    const before = await readFile(join(dir, FIRST))
    const [from, to] = [frameBytes(frames[0]!), frameBytes(frames[0]!) + frameBytes(frames[1]!)]
    before[to - 1]! ^= 1
    await writeFile(join(dir, FIRST), before)
    const journal = await openJournal({ dir })
    expect(journal.recovery).toEqual({ cutBytes: 0, damaged: [{ segment: FIRST, from, to }], positionsLost: false })
    expect(await storedTexts(journal)).toEqual(['one', 'three'])
    await journal.stop()
    expect(await readFile(join(dir, FIRST))).toEqual(before)
  }))

test('a segment that someone deleted is reported as damage', () =>
  inTempDir(async (dir) => {
    await write(dir, ['one', 'two', 'three'].map(textFrame), 10)
    const [, second, third] = await segmentsIn(dir)
    await rm(join(dir, second!))
    const journal = await openJournal({ dir })
    const damage = { segment: FIRST, from: Number(second!.slice(0, 16)), to: Number(third!.slice(0, 16)) }
    expect(journal.recovery.damaged).toEqual([damage])
    expect(await storedTexts(journal)).toEqual(['one', 'three'])
    await journal.stop()
  }))

test('a segment under a wrong name gives no frames', () =>
  inTempDir(async (dir) => {
    await write(dir, [textFrame('one')])
    await copyFile(join(dir, FIRST), join(dir, '0000000000009000.log'))
    const journal = await openJournal({ dir })
    expect(await storedTexts(journal)).toEqual(['one'])
    expect(journal.end).toBe(9000)
    await journal.stop()
  }))

test('bytes beyond the start of the next segment are not part of the journal', () =>
  inTempDir(async (dir) => {
    await write(dir, [textFrame('kept'), textFrame('never acknowledged')])
    const start = frameBytes(textFrame('kept'))
    await inTempDir(async (other) => {
      const journal = await openJournal({ dir: other, notBefore: start })
      await journal.append([textFrame('next')])
      await journal.stop()
      const [name] = await segmentsIn(other)
      await copyFile(join(other, name!), join(dir, name!))
    })
    const journal = await openJournal({ dir })
    expect(journal.recovery.damaged).toEqual([])
    expect(await storedTexts(journal)).toEqual(['kept', 'next'])
    await journal.stop()
  }))

test('a reader that is ahead of what is left on disk misses nothing that comes later', () =>
  inTempDir(async (dir) => {
    const first = await openJournal({ dir })
    const reader = first.reader('warehouse')
    const end = await first.append([textFrame('read and lost')])
    reader.advance(end)
    await first.stop()
    await truncate(join(dir, FIRST), 10)
    const second = await openJournal({ dir })
    expect(second.end).toBe(end)
    expect(second.recovery).toMatchObject({ cutBytes: 10, damaged: [{ from: 0, to: end }] })
    await second.append([textFrame('new')])
    expect(await storedTexts(second, second.reader('warehouse').position)).toEqual(['new'])
    await second.stop()
  }))
