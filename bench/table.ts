/** One line per figure: what was measured, what it should be, whether it is, and something to compare it with. */
export type Verdict = 'meets' | 'misses' | 'for information'

export type Line = {
  scenario: string
  ours: string
  target: string
  verdict: Verdict
  scale: string
  /** The plain numbers behind `ours`, for the results file. */
  figures: Record<string, number>
}

export const judge = (isMet: boolean): Verdict => (isMet ? 'meets' : 'misses')

const COLUMNS = ['scenario', 'ours', 'target', 'verdict', 'scale'] as const
const HEADINGS: Record<(typeof COLUMNS)[number], string> = {
  scenario: 'scenario',
  ours: 'ours',
  target: 'target',
  verdict: 'verdict',
  scale: 'for scale',
}

export function formatTable(lines: Line[]): string {
  const rows = [HEADINGS, ...lines]
  const widths = COLUMNS.map((column) => Math.max(...rows.map((row) => row[column].length)))
  const format = (row: Record<(typeof COLUMNS)[number], string>): string =>
    COLUMNS.map((column, i) => row[column].padEnd(widths[i]!)).join(' | ').trimEnd() // biome-ignore format: one line reads best
  const rule = widths.map((width) => '-'.repeat(width)).join('-|-')
  return [format(HEADINGS), rule, ...lines.map(format)].join('\n')
}

export const thousands = (n: number): string => Math.round(n).toLocaleString('en-US')
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
