import { join } from 'node:path'
import type { Position } from '../model/journal.ts'
import type { Disk } from './disk.ts'

const NAME = /^\d{16}\.log$/

/** A range of positions whose bytes are not whole frames, and the segment file they stand in or are missing from. */
export type Damage = { segment: string; from: Position; to: Position }

export const segmentName = (start: Position): string => `${String(start).padStart(16, '0')}.log`

export const segmentPath = (dir: string, start: Position): string => join(dir, segmentName(start))

/** The start positions of the segments in a folder, ascending; files with other names are not ours. */
export async function listSegments(disk: Disk, dir: string): Promise<Position[]> {
  const names = await disk.list(dir)
  return names
    .filter((name) => NAME.test(name))
    .map((name) => Number(name.slice(0, 16)))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b)
}
