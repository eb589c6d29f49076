import { open, readdir, readFile, rename, rm } from 'node:fs/promises'

/** What the journal asks of a file system, so that a test can be a bad one. */
export type Disk = {
  list(dir: string): Promise<string[]>
  /** `r` reads, `r+` also writes what is there and `w` creates or empties. */
  open(path: string, flags: 'r' | 'r+' | 'w'): Promise<DiskFile>
  readText(path: string): Promise<string>
  rename(from: string, to: string): Promise<void>
  /** Removes a file; none there is fine. */
  remove(path: string): Promise<void>
  /** Makes the entries of a folder durable. */
  syncDir(dir: string): Promise<void>
}

export type DiskFile = {
  size(): Promise<number>
  /** Fills `into` from `from` on; fewer bytes than there is room for only at the end of the file or by a short read. */
  read(into: Buffer, from: number, position: number): Promise<number>
  /** Writes the buffers at a position and tells how many bytes it took, which may be fewer than offered. */
  write(buffers: Uint8Array[], position: number): Promise<number>
  datasync(): Promise<void>
  sync(): Promise<void>
  truncate(bytes: number): Promise<void>
  close(): Promise<void>
}

export const nodeDisk: Disk = {
  list: (dir) => readdir(dir),
  open: openFile,
  readText: (path) => readFile(path, 'utf8'),
  rename,
  remove: (path) => rm(path, { force: true }),
  async syncDir(dir) {
    const handle = await open(dir, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

async function openFile(path: string, flags: 'r' | 'r+' | 'w'): Promise<DiskFile> {
  const handle = await open(path, flags, 0o640)
  return {
    size: async () => (await handle.stat()).size,
    read: async (into, from, position) => (await handle.read(into, from, into.length - from, position)).bytesRead,
    write: async (buffers, position) => (await handle.writev(buffers, position)).bytesWritten,
    datasync: () => handle.datasync(),
    sync: () => handle.sync(),
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  }
}

/** The system's error code (`ENOSPC`), or '' for other errors. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(errorCode(error))

/** The most buffers that one write takes on Linux (IOV_MAX). */
const WRITE_BUFFERS = 1024

/** Writes all buffers at a position, however few bytes the system takes at a time. */
export async function writeAll(file: DiskFile, buffers: Uint8Array[], position: number): Promise<void> {
  let at = position
  let rest = buffers
  while (rest.length > 0) {
    const offered = rest.slice(0, WRITE_BUFFERS)
    const size = offered.reduce((sum, buffer) => sum + buffer.length, 0)
    const written = await file.write(offered, at)
    if (written === 0 && size > 0) throw new Error('the disk takes no bytes and gives no reason')
    at += written
    rest = written === size ? rest.slice(offered.length) : dropBytes(rest, written)
  }
}

function dropBytes(buffers: Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes
  let whole = 0
  while (left >= buffers[whole]!.length) left -= buffers[whole++]!.length
  return [buffers[whole]!.subarray(left), ...buffers.slice(whole + 1)]
}
