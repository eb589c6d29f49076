import type { Position } from '../model/journal.ts'
import type { Disk } from './disk.ts'
import { readBatches } from './frame-reader.ts'
import { type Damage, segmentPath } from './segments.ts'

/** What opening found wrong. */
export type Recovery = {
  /** Bytes of an unfinished write that were cut from the end. */
  cutBytes: number
  /** Ranges that hold no whole frames although frames follow; readers skip them. */
  damaged: Damage[]
  /** Whether the readers' positions were unreadable, so that all begin at the first segment again. */
  positionsLost: boolean
}

type Found = { end: Position; cutBytes: number; damaged: Damage[] }

/**
 * Checks every frame from the segment that holds `from` on, cuts a torn tail off the last one, and makes
 * what is left durable: the process that wrote it may have died between write and sync.
 */
export async function recover({ disk, dir, segments, from }: RecoverParts): Promise<Found> {
  const last = segments.at(-1)
  if (last === undefined) return { end: 0, cutBytes: 0, damaged: [] }
  const first = segments.findLast((start) => start <= from) ?? segments[0]!
  const file = await disk.open(segmentPath(dir, last), 'r+')
  try {
    const size = await file.size()
    const fileEnd = last + size
    const damaged = await damageIn({ disk, dir, segments, from: first }, fileEnd)
    const torn = damaged.at(-1)
    const end = torn && torn.to === fileEnd && torn.from >= last ? torn.from : fileEnd
    if (end < fileEnd) {
      damaged.pop()
      await file.truncate(end - last)
    }
    await file.sync()
    return { end, cutBytes: fileEnd - end, damaged }
  } finally {
    await file.close()
  }
}

type RecoverParts = { disk: Disk; dir: string; segments: readonly Position[]; from: Position }

async function damageIn({ disk, dir, segments, from }: RecoverParts, to: Position): Promise<Damage[]> {
  const damaged: Damage[] = []
  const onDamage = (damage: Damage): void => {
    damaged.push(damage)
  }
  for await (const _ of readBatches({ disk, dir, segments, from, to, verify: true, reuse: true, onDamage }));
  return damaged
}
