/** Keeps the end of the journal on disk for readers that come back, also after a restart. */
import type { Journal } from '../journal/journal.ts'
import type { Position } from '../model/journal.ts'
import { KEEP_BYTES } from './limits.ts'

export function createKeeper(journal: Pick<Journal, 'end' | 'onCommit' | 'reader'>): { stop(): void } {
  const reader = journal.reader('tail')
  // Nobody reads from this position, so it need not be the border of a frame.
  const move = (end: Position): void => {
    if (end - reader.position >= 2 * KEEP_BYTES) reader.advance(end - KEEP_BYTES)
  }
  move(journal.end)
  return { stop: journal.onCommit(move) }
}
