/**
 * The journal against a model that is a list: random appends, advances, rollovers and crashes. A crash stops the disk at
 * that moment, adds a part of a write that was on its way, perhaps with a flipped byte, and opens the folder again.
 */
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Position } from '../model/journal.ts'
import { sealBodies, stampPosition } from './frame.ts'
import { type Journal, openJournal } from './journal.ts'
import { createFaultyDisk, type Faults, inTempDir, segmentsIn, textFrame } from './testing.ts'

type Model = {
  frames: { position: Position; next: Position; text: string }[]
  /** Of each reader: what it has reached, and what is saved for sure. */
  reached: Map<string, Position>
  saved: Map<string, Position>
}

type Step = (real: Real, model: Model) => Promise<void>

type Real = { dir: string; journal: Journal; faults: Faults; appended: number }

const OPTIONS = { segmentBytes: 400, saveAfterMs: 3 }
const READERS = ['warehouse', 'mail']

async function open(dir: string): Promise<{ journal: Journal; faults: Faults }> {
  const { disk, faults } = createFaultyDisk()
  return { journal: await openJournal({ dir, disk, ...OPTIONS }), faults }
}

const append = (calls: number, framesPerCall: number): Step =>
  async function appendStep(real, model) {
    const texts = Array.from({ length: calls }, () =>
      Array.from({ length: framesPerCall }, () => `event ${real.appended++} ${'x'.repeat(real.appended % 50)}`),
    )
    const ends = await Promise.all(texts.map((call) => real.journal.append(call.map(textFrame))))
    let position = ends[0]! - sizeOf(texts[0]!)
    for (const text of texts.flat()) {
      const next = position + sizeOf([text])
      model.frames.push({ position, next, text })
      position = next
    }
    expect(position).toBe(ends.at(-1))
  }

const sizeOf = (texts: string[]): number => texts.reduce((sum, text) => sum + 64 + Buffer.byteLength(text), 0)

const advance = (name: string, share: number): Step =>
  async function advanceStep({ journal }, model) {
    const reader = journal.reader(name)
    const ahead = model.frames.filter(({ next }) => next > reader.position)
    const target = ahead[Math.floor(share * ahead.length)]
    if (target) reader.advance(target.next)
    model.reached.set(name, reader.position)
  }

const restart: Step = async (real, model) => {
  await real.journal.stop()
  model.saved = new Map(model.reached)
  Object.assign(real, await open(real.dir))
  expect(real.journal.recovery).toMatchObject({ cutBytes: 0, damaged: [] })
}

/** An append that was on its way when the power went, of which `share` of the bytes reached the disk. */
const crash = (share: number, flip: boolean): Step =>
  async function crashStep(real) {
    real.faults.dead = true
    await real.journal.stop()
    const header = sealBodies([textFrame('never acknowledged')])
    stampPosition(header, 0, real.journal.end)
    const unfinished = Buffer.concat([header, Buffer.from('never acknowledged')])
    const torn = Buffer.from(unfinished.subarray(0, Math.floor(share * (unfinished.length - 1))))
    if (flip && torn.length > 0) torn[torn.length >> 1]! ^= 0x10
    await appendFile(join(real.dir, (await segmentsIn(real.dir)).at(-1)!), torn)
    const { end } = real.journal
    Object.assign(real, await open(real.dir))
    expect(real.journal.recovery).toMatchObject({ cutBytes: torn.length, damaged: [] })
    expect(real.journal.end).toBe(end)
  }

async function check({ journal, dir }: Real, model: Model): Promise<void> {
  const start = journal.start
  const stored: Model['frames'] = []
  for await (const { position, next, body } of journal.frames(start))
    stored.push({ position, next, text: body.toString() })
  expect(stored).toEqual(model.frames.filter(({ position }) => position >= start))
  for (const [name, reached] of model.reached) {
    const { position } = journal.reader(name)
    expect(position).toBeLessThanOrEqual(reached)
    expect(position).toBeGreaterThanOrEqual(model.saved.get(name) ?? 0)
    expect(start).toBeLessThanOrEqual(Math.max(reached, 0))
    model.reached.set(name, position)
  }
  if (model.reached.size === 0) expect(start).toBe(0)
  expect((await segmentsIn(dir)).length).toBeGreaterThan(0)
}

const anyStep = (): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 })).map((n) => append(...n)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...READERS), fc.double({ min: 0, max: 1, noNaN: true }))
        .map((a) => advance(...a)),
    },
    { weight: 1, arbitrary: fc.constant(restart) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()).map((a) => crash(...a)),
    },
  )

test('random appends, advances, restarts and crashes leave what the model says', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyStep(), { maxLength: 25 }), (steps) =>
      inTempDir(async (dir) => {
        const real: Real = { dir, ...(await open(dir)), appended: 0 }
        const model: Model = { frames: [], reached: new Map(), saved: new Map() }
        for (const step of steps) {
          await step(real, model)
          await check(real, model)
        }
        await real.journal.stop()
      }),
    ),
    { numRuns: 60 },
  ))
