import { BadRules, parseLines, parsePath } from './lines.ts'

const KEPT_ALWAYS = new Set(['id', 'timestamp', 'event_message'])

/** Reads one path a line; throws `BadRules` for a bad line or when a standard field would be dropped. */
export function parseDropRules(text: string): string[][] {
  const paths = parseLines(text, parsePath)
  const reserved = new Set(paths.map((path) => path[0]!).filter((name) => KEPT_ALWAYS.has(name)))
  if (reserved.size > 0) throw new BadRules([`cannot drop reserved fields: ${[...reserved].join(', ')}`])
  return paths
}
