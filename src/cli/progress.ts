/** A line on the terminal that tells how far the work is. In a pipe or a file there is none. */
import type { World } from './command.ts'

export type Progress = {
  /** `share` from 0 to 1, when it is known. */
  show(text: string, share?: number): void
  /** Removes the line. */
  end(): void
}

const EVERY_MS = 100
const BAR = 24

export function createProgress({ stderr }: Pick<World, 'stderr'>): Progress {
  if (!stderr.isTTY) return { show: () => {}, end: () => {} }
  let shownAt = 0
  return {
    show(text, share) {
      const now = performance.now()
      if (now - shownAt < EVERY_MS && share !== 1) return
      shownAt = now
      const line =
        share === undefined ? text : `${bar(share)} ${String(Math.floor(share * 100)).padStart(3)} %  ${text}`
      stderr.write(`\r\x1b[K${line.slice(0, (stderr.columns ?? 80) - 1)}`)
    },
    end: () => void stderr.write('\r\x1b[K'),
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR)
  return `[${'█'.repeat(full)}${'·'.repeat(BAR - full)}]`
}
