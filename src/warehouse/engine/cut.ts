/**
 * Cuts the journal into files of raw rows, one set per source, so that the engine can read what is not yet in parts.
 * The files are a view of the journal, not a second truth: they are never synced, and made anew after a restart.
 * A file never changes once it is listed.
 */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { FrameReader } from '../../journal/frame-reader.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import type { FreshFile, SourceStore, Store } from './store.ts'

/** Small frames are gathered before they are written: a system call for each 400-byte row would cost more than the copy. */
const GATHER_BYTES = 256 * 1024

/** A file this long is closed and the next one begun: a load takes whole files, and should not take too much at once. */
const FILE_BYTES = 32 * 1024 * 1024

type OpenCut = { source: SourceStore; file: FreshFile; handle: number; gathered: Buffer[]; gatheredBytes: number }

export type Cutter = {
  /** Cuts everything up to `end`; calls wait for each other. */
  advance(end: Position): Promise<void>
  readonly position: Position
}

export function createCutter({
  dir,
  store,
  frames,
  clock,
  start,
}: {
  dir: string
  store: Store
  frames: FrameReader
  clock: Clock
  start: Position
}): Cutter {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  let position = start
  let running: Promise<void> = Promise.resolve()
  let sequence = 0

  async function cut(end: Position): Promise<void> {
    if (end <= position) return
    const open = new Map<string, OpenCut>()
    const begun: OpenCut[] = []
    try {
      await frames.read(position, end, (header, body, from, next) => {
        const source = store.source(header.source)
        if (next <= source.manifest.position) return
        if (header.kind === 'fields') {
          const flat: FlatFields = JSON.parse(body.toString('utf8'))
          store.addFields(source, flat, from)
          return
        }
        if (from >= (source.manifest.awayFrom ?? Number.POSITIVE_INFINITY)) {
          source.passedTo = next
          source.passedRows += header.count
          return
        }
        let target = open.get(header.source)
        if (!target) {
          target = begin(source, from)
          begun.push(target)
          open.set(header.source, target)
        }
        add(target, header, body, next)
        if (target.file.bytes >= FILE_BYTES) open.delete(header.source)
      })
      for (const target of begun) flush(target)
    } catch (error) {
      // Nothing of this cut is listed: the same frames are cut again next time.
      for (const target of begun) rmSync(target.file.path, { force: true })
      throw error
    } finally {
      for (const target of begun) closeSync(target.handle)
    }
    for (const { source, file } of begun) source.fresh.push(file)
    position = end
  }

  function begin(source: SourceStore, from: Position): OpenCut {
    sequence += 1
    const path = join(dir, `${source.token}-${sequence}.ndjson`)
    const file: FreshFile = {
      path,
      rows: 0,
      bytes: 0,
      minUs: Number.POSITIVE_INFINITY,
      maxUs: 0,
      from,
      next: from,
      cutAtMs: clock.nowMs(),
    }
    return { source, file, handle: openSync(path, 'wx'), gathered: [], gatheredBytes: 0 }
  }

  function add(
    target: OpenCut,
    header: { count: number; minUs: number; maxUs: number },
    body: Buffer,
    next: Position,
  ): void {
    const { file } = target
    file.rows += header.count
    file.bytes += body.length
    file.minUs = Math.min(file.minUs, header.minUs)
    file.maxUs = Math.max(file.maxUs, header.maxUs)
    file.next = next
    if (body.length >= GATHER_BYTES) {
      flush(target)
      writeAll(target.handle, body)
      return
    }
    // The reader reuses its buffer, so a body that waits must be copied.
    target.gathered.push(Buffer.from(body))
    target.gatheredBytes += body.length
    if (target.gatheredBytes >= GATHER_BYTES) flush(target)
  }

  function flush(target: OpenCut): void {
    if (target.gatheredBytes === 0) return
    writeAll(target.handle, Buffer.concat(target.gathered, target.gatheredBytes))
    target.gathered = []
    target.gatheredBytes = 0
  }

  return {
    get position() {
      return position
    },
    advance(end) {
      const mine = running.then(() => cut(end))
      running = mine.catch(() => {})
      return mine
    },
  }
}

function writeAll(handle: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(handle, bytes, written)
}
