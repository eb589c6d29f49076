/**
 * The journal: the append-only log between ingest and everything that reads events.
 *
 * Promises: `append` resolves only when its frames are durable; frames come back in the order and with the bytes they were
 * appended with; a crash at any moment loses no acknowledged frame; damage in one place loses nothing elsewhere; a failing
 * disk fails the appends it concerns, and appends work again as soon as the disk does. A named reader's position survives a
 * restart, and no segment goes before every reader has passed it.
 *
 * Refuses: appends beyond `maxPendingBytes` (`busy`), appends that the disk did not take (`unavailable`), a folder that is
 * missing or not writable (`setup`). It does not look into bodies, and it does not keep a second process from opening the same folder.
 *
 * The bytes are described in docs/formats/journal.md.
 */
import { Fault } from '../base/faults.ts'
import type { Frame, Position } from '../model/journal.ts'
import { createCommits, type FrameListener } from './commits.ts'
import { type Disk, errorCode, isDiskFull, nodeDisk } from './disk.ts'
import type { StoredFrame } from './frame.ts'
import { readBatches } from './frame-reader.ts'
import { createPositions, loadPositions } from './positions.ts'
import { createReaders, type Reader } from './readers.ts'
import { type Recovery, recover } from './recovery.ts'
import { listSegments, segmentName, segmentPath } from './segments.ts'
import { createTail } from './tail.ts'

export type Journal = {
  /**
   * Resolves with the position after the frames once they are durable. The frames of one call stand side by side. Bodies
   * are not copied: leave them unchanged until then.
   */
  append(frames: Frame[]): Promise<Position>
  /** First position still on disk. */
  readonly start: Position
  /** Everything before this position is durable. */
  readonly end: Position
  /** Bytes accepted by `append` and not yet durable. */
  readonly pendingBytes: number
  /** Calls the listener with the new end after every commit; returns how to stop that. */
  onCommit(listener: (end: Position) => void): () => void
  /**
   * Calls the listener with every frame once it is durable, in order, with its position; returns how to stop that. A
   * body is only good during the call.
   */
  onFrame(listener: FrameListener): () => void
  /** The reader of that name, which holds segments back; a name not known yet begins at `from`, or else at `start`. */
  reader(name: string, from?: Position): Reader
  readerNames(): string[]
  /** Resolves when the positions of all readers are on disk. */
  saveReaders(): Promise<void>
  /** Whole frames, checked, from a frame border up to what is the end when asked. */
  frames(from: Position): AsyncIterable<StoredFrame>
  /** Keeps every segment that is there now, and those to come, until it is released. */
  hold(): Hold
  readonly recovery: Recovery
  /** Settles what was accepted, saves the positions and closes the files. */
  stop(): Promise<void>
}

/** The bytes of one segment file that belong to the journal. */
export type Stretch = { name: string; path: string; bytes: number }

export type Hold = {
  /** What is held, up to what is the durable end when asked. */
  stretches(): { end: Position; stretches: Stretch[] }
  release(): void
}

export type JournalParts = {
  dir: string
  disk?: Disk
  /** A commit that would make a segment larger begins the next one. */
  segmentBytes?: number
  /** Appends beyond this many bytes not yet durable are refused as `busy`. */
  maxPendingBytes?: number
  /** Readers' positions are saved at most this often. */
  saveAfterMs?: number
  /** Positions before this are never given out, for a journal whose folder was lost while readers remember where they were. */
  notBefore?: Position
}

const MIB = 1024 * 1024

export async function openJournal({
  dir,
  disk = nodeDisk,
  segmentBytes = 64 * MIB,
  maxPendingBytes = 64 * MIB,
  saveAfterMs = 1000,
  notBefore = 0,
}: JournalParts): Promise<Journal> {
  const { segments, end, saved, recovery } = await inspect(disk, dir, notBefore).catch((error) => {
    throw setupFault(dir, error)
  })
  const tail = createTail({ dir, disk, segmentBytes, segments, end })
  await tail.begin().catch((error) => {
    // On a full disk the service still starts and answers queries; the first append tries again.
    if (!isDiskFull(error)) throw setupFault(dir, error)
  })
  const start = (): Position => segments[0] ?? tail.end
  const commits = createCommits({ tail, maxPendingBytes })
  const positions = createPositions({ dir, disk, saved, saveAfterMs, release })
  const reader = createReaders({ positions, start, end: () => tail.end })
  /** Where holds and the calls of `frames` that are under way began: their segments stay until they are through. */
  const walks = new Map<symbol, Position>()
  let stopping: Promise<void> | null = null

  async function release(slowest: Position): Promise<void> {
    while (segments.length > 1 && segments[1]! <= Math.min(slowest, ...walks.values())) {
      // Out of the list first: who begins to read while the file is going must not find it there.
      const gone = segments.shift()!
      await disk.remove(segmentPath(dir, gone)).catch((error: unknown) => {
        segments.unshift(gone)
        throw error
      })
    }
  }

  async function* frames(from: Position): AsyncGenerator<StoredFrame> {
    const range = { dir, disk, segments: [...segments], from, to: tail.end, verify: true, reuse: false }
    const walk = Symbol('walk')
    walks.set(walk, from)
    try {
      for await (const batch of readBatches({ ...range, onDamage: () => {} })) yield* batch
    } finally {
      walks.delete(walk)
    }
  }

  function hold(): Hold {
    const held = Symbol('hold')
    walks.set(held, start())
    return {
      stretches() {
        const { end } = tail
        const stretches = segments.map((from, i) => ({
          name: segmentName(from),
          path: segmentPath(dir, from),
          bytes: (segments[i + 1] ?? end) - from,
        }))
        return { end, stretches }
      },
      release: () => void walks.delete(held),
    }
  }

  async function shutDown(): Promise<void> {
    await commits.stop()
    await positions.stop()
    await tail.close()
  }

  return {
    append: commits.append,
    get start() {
      return start()
    },
    get end() {
      return tail.end
    },
    get pendingBytes() {
      return commits.pendingBytes
    },
    onCommit: commits.onCommit,
    onFrame: commits.onFrame,
    reader,
    readerNames: positions.names,
    saveReaders: positions.flush,
    frames,
    hold,
    recovery,
    stop() {
      stopping ??= shutDown()
      return stopping
    },
  }
}

async function inspect(disk: Disk, dir: string, notBefore: Position) {
  const segments = await listSegments(disk, dir)
  const known = await loadPositions(disk, dir)
  const saved = known ?? new Map<string, Position>()
  const slowest = saved.size === 0 ? 0 : Math.min(...saved.values())
  const found = await recover({ disk, dir, segments, from: slowest })
  const end = Math.max(found.end, notBefore, ...saved.values())
  const lost = end > found.end && segments.length > 0
  const damaged = lost
    ? [...found.damaged, { segment: segmentName(found.end), from: found.end, to: end }]
    : found.damaged
  const recovery: Recovery = { cutBytes: found.cutBytes, damaged, positionsLost: known === null }
  return { segments, end, saved, recovery }
}

function setupFault(dir: string, error: unknown): Fault {
  const code = errorCode(error)
  if (code === 'ENOENT') return new Fault('setup', `The journal folder ${dir} does not exist; create it first.`, error)
  if (code === 'ENOTDIR') return new Fault('setup', `The journal needs a folder, and ${dir} is none.`, error)
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return new Fault(
      'setup',
      `The journal folder ${dir} is not writable for this user; change its owner or mode.`,
      error,
    )
  }
  return new Fault('setup', `The journal in ${dir} cannot be opened (${code || String(error)}).`, error)
}
