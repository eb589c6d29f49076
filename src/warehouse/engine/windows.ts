/**
 * A walk through time in windows that follow each other, from the newest event or from the oldest. The first window
 * holds few rows, each next one many times as many: a page that fills early reads little however long the history is,
 * and a search that finds nothing reads everything about once.
 */
export type Stretch = { rows: number; minUs: number; maxUs: number }

export type Window = { fromUs: number; toUs: number }

export type End = 'newest' | 'oldest'

const GROWTH = 16

/** A window is the least that is read between two looks at whether the page is full. */
const MAX_ROWS = 8_000_000

/** Windows over the stretches between the two times; rows are thought to lie evenly within a stretch. */
export function* windows(stretches: Stretch[], within: Window, from: End, firstRows: number): Generator<Window> {
  if (from === 'newest') {
    yield* backwards(stretches, within, firstRows)
    return
  }
  for (const window of backwards(stretches.map(mirrored), mirroredWindow(within), firstRows))
    yield mirroredWindow(window)
}

/** Where the newest rows begin when about this many are wanted; the start itself when there are no more. */
export function startOfNewest(stretches: Stretch[], within: Window, rows: number): number {
  const touched = touching(stretches, within)
  const reach = reachOf(touched, within)
  if (!reach) return within.fromUs
  const start = startFor(touched, reach, rows)
  return start === reach.fromUs ? within.fromUs : start
}

function* backwards(stretches: Stretch[], within: Window, firstRows: number): Generator<Window> {
  const touched = touching(stretches, within)
  const reach = reachOf(touched, within)
  if (!reach) return
  let rows = firstRows
  for (let toUs = reach.toUs; toUs >= reach.fromUs; ) {
    const fromUs = startFor(touched, { fromUs: reach.fromUs, toUs }, rows)
    yield { fromUs, toUs }
    toUs = fromUs - 1
    rows = Math.min(rows * GROWTH, MAX_ROWS)
  }
}

const touching = (stretches: Stretch[], { fromUs, toUs }: Window): Stretch[] =>
  stretches.filter(({ minUs, maxUs }) => maxUs >= fromUs && minUs <= toUs)

/** The part of the time that has events at all. */
function reachOf(stretches: Stretch[], { fromUs, toUs }: Window): Window | null {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { minUs, maxUs } of stretches) {
    first = Math.min(first, minUs)
    last = Math.max(last, maxUs)
  }
  const reach = { fromUs: Math.max(first, fromUs), toUs: Math.min(last, toUs) }
  return reach.fromUs <= reach.toUs ? reach : null
}

/** The latest start with at least this many rows up to `toUs`. */
function startFor(stretches: Stretch[], { fromUs, toUs }: Window, rows: number): number {
  if (rowsIn(stretches, { fromUs, toUs }) <= rows) return fromUs
  let low = fromUs
  let high = toUs
  while (low < high) {
    const middle = high - Math.floor((high - low) / 2)
    if (rowsIn(stretches, { fromUs: middle, toUs }) >= rows) low = middle
    else high = middle - 1
  }
  return low
}

function rowsIn(stretches: Stretch[], { fromUs, toUs }: Window): number {
  let sum = 0
  for (const { rows, minUs, maxUs } of stretches) {
    const shared = Math.min(maxUs, toUs) - Math.max(minUs, fromUs) + 1
    if (shared > 0) sum += rows * (shared / (maxUs - minUs + 1))
  }
  return sum
}

const mirrored = ({ rows, minUs, maxUs }: Stretch): Stretch => ({ rows, minUs: -maxUs, maxUs: -minUs })
const mirroredWindow = ({ fromUs, toUs }: Window): Window => ({ fromUs: -toUs, toUs: -fromUs })
