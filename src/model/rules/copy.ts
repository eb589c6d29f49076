import { BadLine, parseDestination, parseLines, parsePath } from './lines.ts'

/** Copies the value at one path to another. Rules run in order, so one may read what an earlier one wrote. */
export type CopyRule = { from: string[]; to: string[] }

/** Reads `source_path:destination_path` lines; throws `BadRules` naming every bad line. */
export function parseCopyRules(text: string): CopyRule[] {
  return parseLines(text, (line) => {
    const [from, to, ...more] = line.split(':')
    if (from === undefined || to === undefined || more.length > 0) {
      throw new BadLine('a copy rule is source_path:destination_path')
    }
    return { from: parsePath(from), to: parseDestination(to) }
  })
}
