import type { Position } from '../model/journal.ts'
import { type Disk, type DiskFile, writeAll } from './disk.ts'
import { segmentPath } from './segments.ts'

/**
 * The end of the journal that grows: the segment being written, and the rules for leaving it.
 * Only one `write` may run at a time.
 */
export type Tail = {
  /** Resolves when the buffers are durable and counted in `end`; if it throws, the journal is as it was before. */
  write(buffers: Uint8Array[], bytes: number): Promise<void>
  /** Begins a segment, if none is being written. */
  begin(): Promise<void>
  readonly end: Position
  close(): Promise<void>
}

type Parts = {
  dir: string
  disk: Disk
  segmentBytes: number
  /** Start positions of all segments, ascending; new ones are added here. */
  segments: Position[]
  end: Position
}

export function createTail({ dir, disk, segmentBytes, segments, end: firstEnd }: Parts): Tail {
  let end = firstEnd
  let current: { file: DiskFile; start: Position } | null = null

  async function segmentFor(bytes: number): Promise<{ file: DiskFile; start: Position }> {
    // The old segment is left before the new one is tried: were it written on after a failed try, the new file's
    // name would claim positions in the middle of it.
    if (current && end > current.start && end - current.start + bytes > segmentBytes) await leave()
    current ??= await beginSegment()
    return current
  }

  async function beginSegment(): Promise<{ file: DiskFile; start: Position }> {
    const start = end
    // A file of that name may be there and is emptied: it begins at the durable end, so nobody was promised its bytes.
    const file = await disk.open(segmentPath(dir, start), 'w')
    try {
      await file.sync()
      await disk.syncDir(dir)
    } catch (error) {
      await file.close().catch(() => {})
      throw error
    }
    if (segments.at(-1) !== start) segments.push(start)
    return { file, start }
  }

  async function leave(): Promise<void> {
    const { file } = current ?? {}
    current = null
    // Everything acknowledged in it is durable, so a failing close loses nothing.
    await file?.close().catch(() => {})
  }

  async function write(buffers: Uint8Array[], bytes: number): Promise<void> {
    const { file, start } = await segmentFor(bytes)
    try {
      await writeAll(file, buffers, end - start)
    } catch (error) {
      await file.truncate(end - start).catch(leave)
      throw error
    }
    try {
      await file.datasync()
    } catch (error) {
      // After a failed sync the system may have dropped the bytes and call the next sync a success.
      await file.truncate(end - start).catch(() => {})
      await leave()
      throw error
    }
    end += bytes
  }

  return {
    write,
    async begin() {
      await segmentFor(0)
    },
    get end() {
      return end
    },
    close: leave,
  }
}
