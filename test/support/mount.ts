/** A small file system in memory, for tests that need a disk to be full or read-only. Only root may mount. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Mounted = { readonly dir: string; remove(): void }

export function mountMemory(dir: string, megabytes: number): Mounted {
  mkdirSync(dir, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir], { stdio: 'pipe' })
  return {
    dir,
    remove() {
      // Lazy, because a process that was just killed may hold it a moment longer.
      execFileSync('umount', ['-l', dir], { stdio: 'pipe' })
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-mount-'))
  try {
    mountMemory(dir, 1).remove()
    return true
  } catch {
    rmSync(dir, { recursive: true, force: true })
    return false
  }
}
