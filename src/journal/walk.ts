import type { Position } from '../model/journal.ts'
import type { DiskFile } from './disk.ts'
import {
  bodyHolds,
  HEADER_BYTES,
  headerHolds,
  MAGIC,
  plausibleBodyBytes,
  readHeader,
  type StoredFrame,
} from './frame.ts'
import { createWindow, type Window } from './window.ts'

export type Walk = {
  file: DiskFile
  /** Position of the file's first byte. */
  start: Position
  /** The range to walk; both are frame borders, and `to` is not after the end of the segment. */
  from: Position
  to: Position
  /** Whether to check both checksums of every frame. */
  verify: boolean
  chunkBytes: number
  /** Whether bodies are only good until the next batch is asked for. */
  reuse: boolean
  onDamage(from: Position, to: Position): void
}

/**
 * The frames of one segment, in batches of what one read brought in. Bytes that are no frame are reported, and
 * the walk goes on at the next frame that is whole; the last range reported ends at `to` if none came after it.
 */
export async function* walkSegment({ file, start, from, to, verify, chunkBytes, reuse, onDamage }: Walk) {
  const window = createWindow({ file, start, to, chunkBytes, reuse })
  let at = from
  while (at < to) {
    const batch: StoredFrame[] = []
    if (await loadFrame(window, at)) at = takeFrames(window, at, verify, batch)
    if (batch.length > 0) {
      yield batch
      continue
    }
    const found = await nextWhole(window, at + 1, to)
    onDamage(at, found)
    at = found
  }
}

/** Brings a whole frame into the window; false if there is no room for one or its header makes no sense. */
async function loadFrame(window: Window, at: Position): Promise<boolean> {
  if (!(await window.load(at, HEADER_BYTES))) return false
  const bodyBytes = plausibleBodyBytes(window.bytes, at - window.from, at)
  return bodyBytes >= 0 && window.load(at, HEADER_BYTES + bodyBytes)
}

/** Takes all frames that the window holds from `at` on, up to the first that is bad or not all there. */
function takeFrames(window: Window, at: Position, verify: boolean, into: StoredFrame[]): Position {
  const { bytes, from } = window
  let position = at
  while (position - from + HEADER_BYTES <= bytes.length) {
    const offset = position - from
    const bodyBytes = plausibleBodyBytes(bytes, offset, position)
    const body = offset + HEADER_BYTES
    if (bodyBytes < 0 || body + bodyBytes > bytes.length) break
    if (verify && !(headerHolds(bytes, offset) && bodyHolds(bytes, offset))) break
    const next = from + body + bodyBytes
    into.push({
      position,
      next,
      header: readHeader(bytes, offset),
      body: bytes.subarray(body, body + bodyBytes),
    })
    position = next
  }
  return position
}

/** The first whole frame from `at` on, or `to`. */
async function nextWhole(window: Window, at: Position, to: Position): Promise<Position> {
  let position = at
  while (await window.load(position, HEADER_BYTES)) {
    const hit = window.bytes.indexOf(MAGIC, position - window.from)
    if (hit < 0) {
      position = window.from + window.bytes.length - MAGIC.length + 1
      continue
    }
    position = window.from + hit
    if (await isWhole(window, position)) return position
    position += 1
  }
  return to
}

async function isWhole(window: Window, at: Position): Promise<boolean> {
  if (!(await window.load(at, HEADER_BYTES))) return false
  // The header's own checksum comes before its length is believed: a wild length would have us read a lot.
  if (plausibleBodyBytes(window.bytes, at - window.from, at) < 0) return false
  if (!headerHolds(window.bytes, at - window.from)) return false
  return (await loadFrame(window, at)) && bodyHolds(window.bytes, at - window.from)
}
