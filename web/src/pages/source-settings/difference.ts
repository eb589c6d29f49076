/** How one event differs from another, line by line of their JSON, with the fields of objects in order of their names. */
export type Line = { kind: 'same' | 'gone' | 'new'; text: string }

export function difference(before: unknown, after: unknown): Line[] {
  return compare(linesOf(before), linesOf(after))
}

const linesOf = (value: unknown): string[] => (JSON.stringify(inOrder(value), null, 2) ?? '').split('\n')

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, inOrder(inner)]),
  )
}

/** A comma at the end comes and goes with what follows; it makes no difference. */
const core = (line: string): string => line.replace(/,$/, '')

/** Beyond this the table of the comparison would be too large; one text then simply follows the other. */
const CELLS_MAX = 4_000_000

/** The longest common run of lines stays, the rest is gone or new. */
function compare(before: string[], after: string[]): Line[] {
  const width = after.length + 1
  if ((before.length + 1) * width > CELLS_MAX) return [...before.map(gone), ...after.map(fresh)]
  const common = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        core(before[i]!) === core(after[j]!)
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < before.length && j < after.length) {
    if (core(before[i]!) === core(after[j]!)) {
      lines.push({ kind: 'same', text: after[j]! })
      i += 1
      j += 1
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) lines.push(gone(before[i++]!))
    else lines.push(fresh(after[j++]!))
  }
  return [...lines, ...before.slice(i).map(gone), ...after.slice(j).map(fresh)]
}

const gone = (text: string): Line => ({ kind: 'gone', text })
const fresh = (text: string): Line => ({ kind: 'new', text })
