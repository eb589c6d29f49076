import { join } from 'node:path'
import type { Position } from '../model/journal.ts'
import { type Disk, isDiskFull, writeAll } from './disk.ts'

const FILE = 'positions.json'
const VERSION = 1

/**
 * The durable positions of named readers. What is on disk may lag behind what is in memory and is never ahead of it.
 */
export type Positions = {
  get(name: string): Position | undefined
  set(name: string, position: Position): void
  remove(name: string): void
  names(): string[]
  /** Saves what is not saved yet. */
  flush(): Promise<void>
  /** The slowest reader's position; null without readers. */
  slowest(): Position | null
  /** Saves what is not saved yet and ends the timer. */
  stop(): Promise<void>
}

type Parts = {
  dir: string
  disk: Disk
  saved: Map<string, Position>
  saveAfterMs: number
  /** Called when segments before the slowest reader may go. */
  release(slowest: Position): Promise<void>
}

export function createPositions({ dir, disk, saved, saveAfterMs, release }: Parts): Positions {
  const readers = new Map(saved)
  let dirty = false
  let stopped = false
  let timer: NodeJS.Timeout | null = null
  let saving: Promise<void> | null = null

  const slowest = (): Position | null => (readers.size === 0 ? null : Math.min(...readers.values()))

  function changed(): void {
    dirty = true
    if (stopped || timer || saving) return
    timer = setTimeout(() => {
      timer = null
      saving = save().finally(() => {
        saving = null
        if (dirty) changed()
      })
    }, saveAfterMs)
    timer.unref()
  }

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    await saving
    if (!dirty) return
    saving = save().finally(() => {
      saving = null
      if (dirty) changed()
    })
    await saving
  }

  /** Never throws: a position that is not saved is only a position that lags. */
  async function save(): Promise<void> {
    const passed = slowest()
    dirty = false
    try {
      await savePositions(disk, dir, readers)
    } catch (error) {
      dirty = true
      // On a full disk the segments have to go first, or there would never be room for the file that lets them go.
      if (!isDiskFull(error)) return
    }
    if (passed !== null) await release(passed).catch(() => {})
  }

  return {
    get: (name) => readers.get(name),
    set(name, position) {
      readers.set(name, position)
      changed()
    },
    remove(name) {
      if (readers.delete(name)) changed()
    },
    names: () => [...readers.keys()],
    slowest,
    flush,
    async stop() {
      stopped = true
      await flush()
    },
  }
}

async function savePositions(disk: Disk, dir: string, readers: Map<string, Position>): Promise<void> {
  const path = join(dir, FILE)
  const text = JSON.stringify({ version: VERSION, readers: Object.fromEntries(readers) })
  const file = await disk.open(`${path}.tmp`, 'w')
  try {
    await writeAll(file, [Buffer.from(`${text}\n`)], 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(`${path}.tmp`, path)
  await disk.syncDir(dir)
}

/** The saved positions; null if the file is there and makes no sense. */
export async function loadPositions(disk: Disk, dir: string): Promise<Map<string, Position> | null> {
  const names = await disk.list(dir)
  return names.includes(FILE) ? parsePositions(await disk.readText(join(dir, FILE))) : new Map()
}

function parsePositions(text: string): Map<string, Position> | null {
  let saved: unknown
  try {
    saved = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(saved) || saved.version !== VERSION || !isRecord(saved.readers)) return null
  const readers = new Map<string, Position>()
  for (const [name, position] of Object.entries(saved.readers)) {
    if (typeof position !== 'number' || !Number.isSafeInteger(position) || position < 0) return null
    readers.set(name, position)
  }
  return readers
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
