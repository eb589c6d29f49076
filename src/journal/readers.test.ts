import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { createFaultyDisk, inTempDir, segmentsIn, storedTexts, textFrame } from './testing.ts'

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

const savedReaders = async (dir: string): Promise<unknown> =>
  JSON.parse(await readFile(join(dir, 'positions.json'), 'utf8')).readers

test('a reader begins at the first frame and finds its position again after a restart', () =>
  inTempDir(async (dir) => {
    const first = await openJournal({ dir })
    const reader = first.reader('warehouse')
    expect(reader.position).toBe(0)
    const done = await first.append([textFrame('a')])
    await first.append([textFrame('b')])
    reader.advance(done)
    await first.stop()
    const second = await openJournal({ dir })
    expect(second.reader('warehouse').position).toBe(done)
    expect(await storedTexts(second, done)).toEqual(['b'])
    await second.stop()
  }))

test('a position goes forward only, and not beyond the end', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir })
    const reader = journal.reader('warehouse')
    const one = await journal.append([textFrame('a')])
    const two = await journal.append([textFrame('b')])
    reader.advance(two)
    reader.advance(one)
    expect(reader.position).toBe(two)
    expect(() => reader.advance(two + 1)).toThrow('the journal ends at')
    expect(journal.reader('warehouse').position).toBe(two)
    await journal.stop()
  }))

test('positions are saved without a stop, soon after they changed', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, saveAfterMs: 10 })
    const reader = journal.reader('warehouse')
    const end = await journal.append([textFrame('a')])
    reader.advance(end)
    await until(async () => (await savedReaders(dir).catch(() => null)) !== null)
    await until(async () => JSON.stringify(await savedReaders(dir)) === JSON.stringify({ warehouse: end }))
    await journal.stop()
  }))

test('segments go when every reader has passed them, and never without a reader', () =>
  inTempDir(async (dir) => {
    const ends: number[] = []
    const first = await openJournal({ dir, segmentBytes: 10 })
    for (const text of ['a', 'b', 'c']) ends.push(await first.append([textFrame(text)]))
    await first.stop()
    expect(await segmentsIn(dir)).toHaveLength(3)

    const second = await openJournal({ dir, segmentBytes: 10, saveAfterMs: 5 })
    const fast = second.reader('fast')
    const slow = second.reader('slow')
    fast.advance(second.end)
    slow.advance(ends[0]!)
    await until(async () => second.start === ends[0])
    expect(await storedTexts(second)).toEqual(['b', 'c'])
    await second.stop()

    // `slow` has not come back yet and still holds its segments.
    const third = await openJournal({ dir, segmentBytes: 10, saveAfterMs: 5 })
    third.reader('fast').advance(third.end)
    const newcomer = third.reader('newcomer')
    expect(newcomer.position).toBe(ends[0])
    newcomer.release()
    await third.stop()
    expect(await segmentsIn(dir)).toHaveLength(3)

    const fourth = await openJournal({ dir, segmentBytes: 10, saveAfterMs: 5 })
    fourth.reader('slow').release()
    await until(async () => fourth.start === fourth.end)
    await until(async () => (await segmentsIn(dir)).length === 1)
    await fourth.stop()
    const fifth = await openJournal({ dir })
    expect([fifth.start, fifth.end]).toEqual([ends[2], ends[2]])
    await fifth.stop()
  }))

test('segments that a replay is still reading stay until it is through', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, segmentBytes: 10, saveAfterMs: 1 })
    for (const text of ['a', 'b', 'c']) await journal.append([textFrame(text)])
    const reader = journal.reader('warehouse')
    const seen: string[] = []
    for await (const { next, body } of journal.frames(journal.start)) {
      seen.push(body.toString())
      reader.advance(next)
      await until(async () => JSON.stringify(await savedReaders(dir).catch(() => null)) === `{"warehouse":${next}}`)
    }
    expect(seen).toEqual(['a', 'b', 'c'])
    await journal.stop()
  }))

test('a released reader that still advances does not come back', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir })
    const reader = journal.reader('gone')
    const end = await journal.append([textFrame('a')])
    reader.release()
    reader.advance(end)
    await journal.stop()
    expect(await savedReaders(dir)).toEqual({})
  }))

test('on a full disk passed segments go although the positions cannot be saved', () =>
  inTempDir(async (dir) => {
    const { disk, faults } = createFaultyDisk()
    const journal = await openJournal({ dir, disk, segmentBytes: 10, saveAfterMs: 5 })
    for (const text of ['a', 'b', 'c']) await journal.append([textFrame(text)])
    const last = Number((await segmentsIn(dir)).at(-1)!.slice(0, 16))
    faults.creating = true
    const reader = journal.reader('warehouse')
    reader.advance(last)
    await until(async () => (await segmentsIn(dir)).length === 1)
    await journal.stop()
    const again = await openJournal({ dir })
    expect(again.reader('warehouse').position).toBe(last)
    expect(again.recovery.damaged).toEqual([])
    expect(await storedTexts(again)).toEqual(['c'])
    await again.stop()
  }))

test.each([
  ['no JSON', '{"version":1,'],
  ['another shape', '{"version":1,"readers":[]}'],
  ['a position that is none', '{"version":1,"readers":{"warehouse":-1}}'],
])('positions that hold %s are reported, and readers begin again at the start', (_, text) =>
  inTempDir(async (dir) => {
    const first = await openJournal({ dir })
    first.reader('warehouse').advance(await first.append([textFrame('a')]))
    await first.stop()
    await writeFile(join(dir, 'positions.json'), text)
    const second = await openJournal({ dir })
    expect(second.recovery.positionsLost).toBe(true)
    expect(second.reader('warehouse').position).toBe(0)
    expect(await storedTexts(second)).toEqual(['a'])
    await second.stop()
  }),
)

test('a hold keeps segments that all readers have passed, and says what belongs to the journal', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, segmentBytes: 10, saveAfterMs: 1 })
    const reader = journal.reader('warehouse')
    for (const text of ['a', 'b']) await journal.append([textFrame(text)])
    const hold = journal.hold()
    reader.advance(await journal.append([textFrame('c')]))
    await journal.saveReaders()
    const { end, stretches } = hold.stretches()
    expect(stretches).toHaveLength(3)
    expect(stretches.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(end)
    hold.release()
    reader.advance(await journal.append([textFrame('d')]))
    await journal.saveReaders()
    expect(await segmentsIn(dir)).toHaveLength(1)
    await journal.stop()
  }))
