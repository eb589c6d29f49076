import type { Position } from '../model/journal.ts'
import { type Disk, nodeDisk } from './disk.ts'
import type { FrameHeader, StoredFrame } from './frame.ts'
import { type Damage, listSegments, segmentName, segmentPath } from './segments.ts'
import { walkSegment } from './walk.ts'

/** Measured: with less, large frames are read at half the speed; with more, small frames get slower. */
const CHUNK_BYTES = 1024 * 1024

export type FrameVisit = (header: FrameHeader, body: Buffer, position: Position, next: Position) => void

/**
 * Reads a journal that another process writes, up to a position that process has called durable.
 * It holds no files open between reads and follows segments as they come and go.
 */
export type FrameReader = {
  /**
   * Visits the frames from `from` on (a frame border) until `to`, or until at least `maxBytes` were visited, and
   * resolves with the position to read on from. A body is only good during its visit: its memory is used again.
   */
  read(from: Position, to: Position, visit: FrameVisit, maxBytes?: number): Promise<Position>
}

type ReaderParts = {
  dir: string
  disk?: Disk
  chunkBytes?: number
  /** Whether to check the checksums of every frame; without it only borders are checked. */
  verify?: boolean
  /** Told about every range that was skipped because it holds no frames. */
  onDamage?(damage: Damage): void
}

export function createFrameReader({
  dir,
  disk = nodeDisk,
  chunkBytes = CHUNK_BYTES,
  verify = false,
  onDamage = () => {},
}: ReaderParts): FrameReader {
  return {
    async read(from, to, visit, maxBytes = Number.POSITIVE_INFINITY) {
      const batches = readBatches({ dir, disk, segments: null, from, to, verify, chunkBytes, reuse: true, onDamage })
      for await (const batch of batches) {
        for (const { header, body, position, next } of batch) {
          visit(header, body, position, next)
          if (next - from >= maxBytes) return next
        }
      }
      return Math.max(from, to)
    },
  }
}

type Range = {
  dir: string
  disk: Disk
  /** Start positions, or null to look into the folder. */
  segments: readonly Position[] | null
  from: Position
  to: Position
  verify: boolean
  chunkBytes?: number
  reuse: boolean
  onDamage(damage: Damage): void
}

/** The frames of a range across segments; a hole between segments is damage. */
export async function* readBatches(range: Range): AsyncGenerator<StoredFrame[]> {
  const { dir, disk, verify, reuse, onDamage } = range
  const starts = range.segments ?? (await listSegments(disk, dir))
  let at = range.from
  for (const [i, start] of starts.entries()) {
    const to = Math.min(starts[i + 1] ?? range.to, range.to)
    if (to <= at) continue
    if (start > at) {
      // Before the first segment is what every reader has passed; after it, a hole is a loss.
      if (i > 0) onDamage({ segment: segmentName(at), from: at, to: start })
      at = start
    }
    const file = await disk.open(segmentPath(dir, start), 'r')
    try {
      const end = Math.min(start + (await file.size()), to)
      if (end > at) {
        const damaged = (from: Position, until: Position): void =>
          onDamage({ segment: segmentName(start), from, to: until })
        const chunkBytes = range.chunkBytes ?? CHUNK_BYTES
        yield* walkSegment({ file, start, from: at, to: end, verify, chunkBytes, reuse, onDamage: damaged })
      }
      if (end < to) onDamage({ segment: segmentName(start), from: Math.max(at, end), to })
      at = to
    } finally {
      await file.close()
    }
  }
}
