/** Two texts line by line: what stayed, what left, what came. */
export type DiffLine = { kind: 'same' | 'gone' | 'new'; text: string }

/** Beyond this many lines on one side the middle is told as gone and new: comparing would take too long. */
const LINES_MAX = 2_000

export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n')
  const b = after.split('\n')
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const middle = compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)]
}

function compare(a: string[], b: string[]): DiffLine[] {
  if (a.length > LINES_MAX || b.length > LINES_MAX) return [...a.map(gone), ...b.map(come)]
  // common[i][j]: the most lines that a from i and b from j have in common, in order.
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = common[i]
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i++] ?? '' })
      j++
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(gone(a[i++] ?? ''))
    else lines.push(come(b[j++] ?? ''))
  }
  return lines
}

const gone = (text: string): DiffLine => ({ kind: 'gone', text })
const come = (text: string): DiffLine => ({ kind: 'new', text })
