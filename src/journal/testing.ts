/** Parts for the tests of this folder: temporary folders, frames of all sorts, and a disk that fails on command. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Frame, Position } from '../model/journal.ts'
import { type Disk, type DiskFile, nodeDisk } from './disk.ts'
import type { Journal } from './journal.ts'

export async function inTempDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'journal-'))
  try {
    return await work(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export const anyFrame = (maxBodyBytes: number): fc.Arbitrary<Frame> =>
  fc.record({
    kind: fc.constantFrom('events' as const, 'fields' as const),
    source: fc.uuid(),
    count: fc.nat(0xffff_ffff),
    minUs: fc.maxSafeInteger(),
    maxUs: fc.maxSafeInteger(),
    body: fc.uint8Array({ maxLength: maxBodyBytes }),
  })

export function textFrame(text: string): Frame {
  return {
    kind: 'events',
    source: '6f1d2b3c-0000-4000-8000-00000000abcd',
    count: 1,
    minUs: 1_700_000_000_000_000,
    maxUs: 1_700_000_000_000_001,
    body: Buffer.from(text),
  }
}

export async function storedFrames(journal: Journal, from: Position = journal.start): Promise<Frame[]> {
  const frames: Frame[] = []
  for await (const { header, body } of journal.frames(from)) frames.push({ ...header, body: new Uint8Array(body) })
  return frames
}

export async function storedTexts(journal: Journal, from?: Position): Promise<string[]> {
  return (await storedFrames(journal, from)).map(({ body }) => Buffer.from(body).toString())
}

export const segmentsIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => name.endsWith('.log')).sort()

export class DiskError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** What the disk does wrong; change it at any time. */
export type Faults = {
  /** Bytes that still fit; writing more takes what fits and then fails with ENOSPC. */
  room: number
  /** The most bytes that one write takes. */
  writeBytes: number
  datasync: boolean
  truncate: boolean
  /** Creating or emptying a file fails with ENOSPC. */
  creating: boolean
  /** The power is off: nothing changes on the disk any more. */
  dead: boolean
  /** Makes every datasync wait for this. */
  gate: Promise<void> | null
}

export function createFaultyDisk(): { disk: Disk; faults: Faults; counts: { datasyncs: number } } {
  const faults: Faults = {
    room: Number.POSITIVE_INFINITY,
    writeBytes: Number.POSITIVE_INFINITY,
    datasync: false,
    truncate: false,
    creating: false,
    dead: false,
    gate: null,
  }
  const counts = { datasyncs: 0 }

  function alive(): void {
    if (faults.dead) throw new DiskError('EIO')
  }

  const faulty = (file: DiskFile): DiskFile => ({
    ...file,
    async write(buffers, position) {
      alive()
      const offered = Buffer.concat(buffers)
      const taken = offered.subarray(0, Math.min(faults.room, faults.writeBytes))
      if (offered.length > 0 && faults.room === 0) throw new DiskError('ENOSPC')
      faults.room -= taken.length
      return taken.length === 0 ? 0 : file.write([taken], position)
    },
    async datasync() {
      counts.datasyncs++
      await faults.gate
      if (faults.datasync) throw new DiskError('EIO')
      await file.datasync()
    },
    async truncate(bytes) {
      alive()
      if (faults.truncate) throw new DiskError('EIO')
      await file.truncate(bytes)
    },
  })

  async function open(path: string, flags: 'r' | 'r+' | 'w'): Promise<DiskFile> {
    if (flags === 'w') alive()
    if (flags === 'w' && faults.creating) throw new DiskError('ENOSPC')
    return faulty(await nodeDisk.open(path, flags))
  }

  async function rename(from: string, to: string): Promise<void> {
    alive()
    await nodeDisk.rename(from, to)
  }

  async function remove(path: string): Promise<void> {
    alive()
    await nodeDisk.remove(path)
  }

  return { disk: { ...nodeDisk, open, rename, remove }, faults, counts }
}
