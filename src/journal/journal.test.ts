import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Frame, Position } from '../model/journal.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { openJournal } from './journal.ts'
import {
  anyFrame,
  createFaultyDisk,
  DiskError,
  inTempDir,
  segmentsIn,
  storedFrames,
  storedTexts,
  textFrame,
} from './testing.ts'

test('frames come back equal, before and after a restart', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(anyFrame(300), { maxLength: 4 }), { maxLength: 6 }), (calls) =>
      inTempDir(async (dir) => {
        const journal = await openJournal({ dir, segmentBytes: 1000 })
        let end: Position = 0
        for (const frames of calls) end = await journal.append(frames)
        expect(journal.end).toBe(end)
        expect(await storedFrames(journal)).toEqual(calls.flat())
        await journal.stop()
        const again = await openJournal({ dir })
        expect(again.recovery).toEqual({ cutBytes: 0, damaged: [], positionsLost: false })
        expect(again.end).toBe(end)
        expect(await storedFrames(again)).toEqual(calls.flat())
        await again.stop()
      }),
    ),
    { numRuns: 25 },
  ))

test('concurrent appends are all there, in the order of the calls, and share syncs', () =>
  inTempDir(async (dir) => {
    const { disk, counts } = createFaultyDisk()
    const journal = await openJournal({ dir, disk, segmentBytes: 20_000 })
    const texts = Array.from({ length: 3000 }, (_, i) => `event ${i}`)
    const ends = await Promise.all(texts.map((text) => journal.append([textFrame(text)])))
    expect(ends).toEqual(ends.toSorted((a, b) => a - b))
    expect(ends.at(-1)).toBe(journal.end)
    expect(journal.pendingBytes).toBe(0)
    expect(await storedTexts(journal)).toEqual(texts)
    expect(counts.datasyncs).toBeLessThan(10)
    await journal.stop()
  }))

test('a position that append gave is where the next frame begins', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, segmentBytes: 150 })
    const borders: Position[] = [0]
    for (const text of ['a', 'bb', 'ccc', 'dddd']) borders.push(await journal.append([textFrame(text)]))
    expect(await segmentsIn(dir)).toHaveLength(2)
    for (const [i, border] of borders.entries()) {
      expect(await storedTexts(journal, border)).toEqual(['a', 'bb', 'ccc', 'dddd'].slice(i))
    }
    await journal.stop()
  }))

test('listeners hear every new end once its frames can be read, until they leave', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir })
    const heard: Position[] = []
    const leave = journal.onCommit((end) => heard.push(end))
    const first = await journal.append([textFrame('a')])
    const second = await journal.append([textFrame('b')])
    leave()
    await journal.append([textFrame('c')])
    expect(heard).toEqual([first, second])
    await journal.stop()
  }))

test('stop settles what was accepted, may be called twice, and refuses what comes later', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir })
    const accepted = journal.append([textFrame('last')])
    await Promise.all([journal.stop(), journal.stop()])
    expect(await accepted).toBe(journal.end)
    await expect(journal.append([textFrame('late')])).rejects.toMatchObject({ code: 'unavailable' })
  }))

test('a bad frame in a call stores none of its frames', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir })
    const bad: Frame = { ...textFrame('x'), source: 'no uuid' }
    await expect(journal.append([textFrame('good'), bad])).rejects.toThrow('UUID')
    expect([journal.end, journal.pendingBytes]).toEqual([0, 0])
    await journal.stop()
  }))

test('a start continues at the end and never writes to a file of a former process', () =>
  inTempDir(async (dir) => {
    const first = await openJournal({ dir })
    const end = await first.append([textFrame('old')])
    await first.stop()
    const second = await openJournal({ dir })
    await second.stop()
    const third = await openJournal({ dir })
    await third.append([textFrame('new')])
    expect(await segmentsIn(dir)).toEqual(['0000000000000000.log', `${String(end).padStart(16, '0')}.log`])
    expect(await storedTexts(third)).toEqual(['old', 'new'])
    await third.stop()
  }))

test('no position is given out again, even when the folder was lost', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir, notBefore: 5000 })
    expect([journal.start, journal.end]).toEqual([5000, 5000])
    await journal.append([textFrame('x')])
    expect(await storedTexts(journal, 0)).toEqual(['x'])
    await journal.stop()
  }))

test('files that are not ours stay', () =>
  inTempDir(async (dir) => {
    await writeFile(join(dir, 'notes.txt'), 'mine')
    await writeFile(join(dir, '12.log'), 'mine too')
    const journal = await openJournal({ dir })
    await journal.append([textFrame('x')])
    await journal.stop()
    expect(await segmentsIn(dir)).toEqual(['0000000000000000.log', '12.log'])
  }))

test('a missing folder is a set-up fault', () =>
  inTempDir(async (dir) => {
    const opened = openJournal({ dir: join(dir, 'none') })
    await expect(opened).rejects.toMatchObject({ code: 'setup', message: expect.stringContaining('does not exist') })
  }))

test.each([
  ['EACCES', 'not writable'],
  ['EROFS', 'not writable'],
  ['ENOTDIR', 'needs a folder'],
  ['EMFILE', 'EMFILE'],
])('%s on opening is a set-up fault that says: %s', (code, words) =>
  inTempDir(async (dir) => {
    const disk: Disk = { ...nodeDisk, open: () => Promise.reject(new DiskError(code)) }
    const opened = openJournal({ dir, disk })
    await expect(opened).rejects.toMatchObject({ code: 'setup', message: expect.stringContaining(words) })
  }),
)

test('listeners get every durable frame in order, with its position and its body as appended', () =>
  inTempDir(async (dir) => {
    const journal = await openJournal({ dir })
    const heard: { text: string; position: number }[] = []
    const forget = journal.onFrame(({ body }, position) => heard.push({ text: Buffer.from(body).toString(), position }))
    const append = async (text: string): Promise<void> => {
      const frame = textFrame(text)
      await journal.append([frame, textFrame(`${text}!`)])
      // Whoever appended may use the memory again as soon as it is answered.
      frame.body.fill(0)
    }
    await Promise.all(['a', 'bb', 'ccc'].map(append))
    const stored = []
    for await (const { position, body } of journal.frames(0)) stored.push({ text: body.toString(), position })
    expect(heard).toEqual(stored)
    forget()
    await append('d')
    expect(heard).toHaveLength(6)
    await journal.stop()
  }))
