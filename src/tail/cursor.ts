/**
 * A place between two events of the journal, as readers keep it: `4096` is before the frame at position 4096,
 * `4096.7` after row 7 of it. Readers send it back to go on where they were; it means nothing else to them.
 */
import type { Position } from '../model/journal.ts'

export type Cursor = {
  position: Position
  /** Rows of the frame at `position` that were seen. */
  rows: number
}

const CURSOR = /^(\d{1,16})(?:\.(\d{1,9}))?$/

export const printCursor = (position: Position, row?: number): string =>
  row === undefined ? String(position) : `${position}.${row}`

/** Null when the text is no cursor. */
export function readCursor(text: string): Cursor | null {
  const [, position, row] = CURSOR.exec(text.trim()) ?? []
  if (position === undefined || !Number.isSafeInteger(Number(position))) return null
  return { position: Number(position), rows: row === undefined ? 0 : Number(row) + 1 }
}
