import type { Position } from '../model/journal.ts'
import type { DiskFile } from './disk.ts'

/** A stretch of a segment held in memory. Positions are the journal's; `start` is the segment's first. */
export type Window = {
  /** Makes `[at, at + bytes)` readable, and what follows it as far as the room goes; false if the segment ends before. */
  load(at: Position, bytes: number): Promise<boolean>
  has(at: Position, bytes: number): boolean
  /** The bytes held, from `from` on. */
  readonly bytes: Buffer
  readonly from: Position
}

type Parts = {
  file: DiskFile
  start: Position
  /** Nothing from here on is read. */
  to: Position
  chunkBytes: number
  /** Whether a load may overwrite the memory that earlier loads handed out. */
  reuse: boolean
}

export function createWindow({ file, start, to, chunkBytes, reuse }: Parts): Window {
  let room = Buffer.alloc(0)
  let filled = 0
  let from = start

  const has = (at: Position, bytes: number): boolean => at >= from && at + bytes <= from + filled

  async function load(at: Position, bytes: number): Promise<boolean> {
    if (has(at, bytes)) return true
    if (at + bytes > to) return false
    const kept = at >= from && at < from + filled ? room.subarray(at - from, filled) : room.subarray(0, 0)
    const target =
      reuse && room.length >= bytes ? room : Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(chunkBytes, to - at)))
    kept.copy(target)
    room = target
    filled = kept.length
    from = at
    const wanted = room.subarray(0, Math.min(room.length, to - at))
    while (filled < wanted.length) {
      const read = await file.read(wanted, filled, at - start + filled)
      if (read === 0) break
      filled += read
    }
    return has(at, bytes)
  }

  return {
    load,
    has,
    get bytes() {
      return room.subarray(0, filled)
    },
    get from() {
      return from
    },
  }
}
