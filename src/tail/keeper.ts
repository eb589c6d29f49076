/** Keeps the end of the journal on disk for readers that come back, also after a restart; at most twice `KEEP_BYTES`. */
import type { Journal } from '../journal/journal.ts'
import { KEEP_BYTES } from './limits.ts'

export function createKeeper(journal: Pick<Journal, 'end' | 'onCommit' | 'reader'>): { stop(): void } {
  const reader = journal.reader('tail')
  let mark = journal.end
  const stop = journal.onCommit((end) => {
    if (end - mark < KEEP_BYTES) return
    reader.advance(mark)
    mark = end
  })
  return { stop }
}
