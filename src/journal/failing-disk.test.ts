import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { createFaultyDisk, inTempDir, segmentsIn, storedTexts, textFrame } from './testing.ts'

test('short writes store every byte', () =>
  inTempDir(async (dir) => {
    const { disk, faults } = createFaultyDisk()
    const journal = await openJournal({ dir, disk })
    for (faults.writeBytes = 1; faults.writeBytes < 80; faults.writeBytes += 13) {
      await Promise.all([journal.append([textFrame('a'), textFrame('')]), journal.append([textFrame('b')])])
    }
    expect(await storedTexts(journal)).toEqual(Array.from({ length: 7 }, () => ['a', '', 'b']).flat())
    await journal.stop()
  }))

test('a disk that fills up at any byte refuses the append whole, and takes it again once there is room', async () => {
  for (let room = 0; room < 70 * 2; room += 7) {
    await inTempDir(async (dir) => {
      const { disk, faults } = createFaultyDisk()
      const journal = await openJournal({ dir, disk })
      const end = await journal.append([textFrame('before')])
      faults.room = room
      const refused = journal.append([textFrame('one'), textFrame('two'), textFrame('three')])
      await expect(refused).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('disk is full'),
      })
      expect([journal.end, journal.pendingBytes]).toEqual([end, 0])
      faults.room = Number.POSITIVE_INFINITY
      await journal.append([textFrame('after')])
      await journal.stop()
      const again = await openJournal({ dir })
      expect(again.recovery).toMatchObject({ cutBytes: 0, damaged: [] })
      expect(await storedTexts(again)).toEqual(['before', 'after'])
      await again.stop()
    })
  }
})

test.each([
  ['and the file can be cut', false],
  ['and not even the cut works', true],
])('after a failed sync nothing is acknowledged and a new segment begins, %s', (_, truncateFails) =>
  inTempDir(async (dir) => {
    const { disk, faults } = createFaultyDisk()
    const journal = await openJournal({ dir, disk })
    await journal.append([textFrame('before')])
    faults.datasync = true
    faults.truncate = truncateFails
    await expect(journal.append([textFrame('lost')])).rejects.toMatchObject({ code: 'unavailable' })
    await expect(journal.append([textFrame('lost too')])).rejects.toMatchObject({ code: 'unavailable' })
    faults.datasync = false
    await journal.append([textFrame('after')])
    expect(await segmentsIn(dir)).toHaveLength(2)
    expect(await storedTexts(journal)).toEqual(['before', 'after'])
    await journal.stop()
    const again = await openJournal({ dir })
    expect(again.recovery).toMatchObject({ cutBytes: 0, damaged: [] })
    expect(await storedTexts(again)).toEqual(['before', 'after'])
    await again.stop()
  }),
)

test('whatever the disk does, what is acknowledged is stored, in order, and nothing else is kept', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          appends: fc.integer({ min: 1, max: 4 }),
          room: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(400)),
          writeBytes: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 100 })),
          datasync: fc.boolean(),
          truncate: fc.boolean(),
        }),
        { maxLength: 10 },
      ),
      (steps) =>
        inTempDir(async (dir) => {
          const { disk, faults } = createFaultyDisk()
          const journal = await openJournal({ dir, disk, segmentBytes: 300 })
          const acknowledged: string[] = []
          let n = 0
          for (const { appends, ...wrong } of steps) {
            Object.assign(faults, wrong)
            const texts = Array.from({ length: appends }, () => `event ${n++}`)
            const outcomes = await Promise.allSettled(texts.map((text) => journal.append([textFrame(text)])))
            acknowledged.push(...texts.filter((_, i) => outcomes[i]!.status === 'fulfilled'))
          }
          Object.assign(faults, { room: Number.POSITIVE_INFINITY, datasync: false, truncate: false })
          await journal.append([textFrame('last')])
          expect(await storedTexts(journal)).toEqual([...acknowledged, 'last'])
          await journal.stop()
          const again = await openJournal({ dir })
          expect(await storedTexts(again)).toEqual([...acknowledged, 'last'])
          await again.stop()
        }),
    ),
    { numRuns: 60 },
  ))

test('appends beyond the limit are refused as busy at once, and accepted again when the disk has caught up', () =>
  inTempDir(async (dir) => {
    const { disk, faults } = createFaultyDisk()
    const journal = await openJournal({ dir, disk, maxPendingBytes: 1000 })
    const gate = Promise.withResolvers<void>()
    faults.gate = gate.promise
    const accepted = [journal.append([textFrame('a'.repeat(500))]), journal.append([textFrame('b'.repeat(300))])]
    expect(journal.pendingBytes).toBe(928)
    await expect(journal.append([textFrame('c'.repeat(300))])).rejects.toMatchObject({ code: 'busy' })
    expect(journal.pendingBytes).toBe(928)
    gate.resolve()
    await Promise.all(accepted)
    await journal.append([textFrame('d'.repeat(2000))])
    expect((await storedTexts(journal)).map((text) => text[0])).toEqual(['a', 'b', 'd'])
    await journal.stop()
  }))

test('a full disk does not keep the journal from opening; appends work as soon as there is room', () =>
  inTempDir(async (dir) => {
    const { disk, faults } = createFaultyDisk()
    faults.creating = true
    const journal = await openJournal({ dir, disk })
    await expect(journal.append([textFrame('x')])).rejects.toMatchObject({ code: 'unavailable' })
    faults.creating = false
    await journal.append([textFrame('y')])
    expect(await storedTexts(journal)).toEqual(['y'])
    await journal.stop()
  }))
