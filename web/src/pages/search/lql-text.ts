/**
 * Changes to a query that a press makes: another time, one more filter. They work on the text as it stands, so that what
 * a person wrote stays as it was written. Whether the text is a query at all is for the service to say.
 */
export type Piece = { text: string; start: number; end: number }

/** Clauses and operators outside of all groups. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let start = -1
  let depth = 0
  let isQuoted = false
  for (let i = 0; i <= text.length; i += 1) {
    const char = text[i] ?? ' '
    if (isQuoted && i < text.length) {
      if (char === '\\') i += 1
      else if (char === '"') isQuoted = false
      continue
    }
    const isBreak = /\s/.test(char) && (depth === 0 || i >= text.length)
    if (isBreak && start >= 0) {
      pieces.push({ text: text.slice(start, i), start, end: i })
      start = -1
      depth = 0
    } else if (!isBreak && start < 0) start = i
    if (char === '"') isQuoted = true
    if (char === '(') depth += 1
    if (char === ')') depth = Math.max(0, depth - 1)
  }
  return pieces
}

const TIME = /^-?t(?:imestamp)?:/
const NO_FILTER = /^(?:c|chart|s|select|f|from):/

/** What stands behind `t:`, in one text; empty when the query says nothing of time. */
export const timeOf = (text: string): string =>
  piecesOf(text)
    .filter(({ text: piece }) => TIME.test(piece))
    .map(({ text: piece }) => piece.replace(TIME, ''))
    .join(' ')

/** The query with this time in place of what it had; an empty time leaves it without. */
export function withTime(text: string, time: string): string {
  const pieces = piecesOf(text).map((piece) => piece.text)
  // In `a t:today OR b` the time belongs to one side only, and is not ours to take out.
  const rest = hasOr(pieces) ? grouped(pieces) : pieces.filter((piece) => !TIME.test(piece))
  return [...rest, ...(time === '' ? [] : [`t:${time}`])].join(' ')
}

/** The query that also wants this value, or wants it not. The opposite wish is taken back. */
export function withFilter(text: string, path: string, value: unknown, wanted: 'in' | 'out'): string {
  const clause = `${shortPath(path)}:${literal(value)}`
  const [added, opposite] = wanted === 'in' ? [clause, `-${clause}`] : [`-${clause}`, clause]
  const pieces = piecesOf(text).map((piece) => piece.text)
  if (hasOr(pieces)) return [...grouped(pieces), added].join(' ')
  return [...pieces.filter((piece) => piece !== opposite && piece !== added), added].join(' ')
}

const hasOr = (pieces: string[]): boolean => pieces.includes('OR')

function grouped(pieces: string[]): string[] {
  const others = pieces.filter((piece) => NO_FILTER.test(piece))
  const filters = pieces.filter((piece) => !NO_FILTER.test(piece))
  return [...others, `(${filters.join(' ')})`]
}

export const shortPath = (path: string): string => path.replace(/^metadata\./, 'm.')

const BARE = /^(?:\w+|-?\d+(?:\.\d+)?)$/

/** A value as it must be written to mean itself. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  const text = String(value)
  if (BARE.test(text) && text !== 'NULL') return text
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** From and to as microseconds, both included. */
export function rangeText(fromUs: number, toUs: number): string {
  return `${instant(fromUs)}..${instant(toUs)}`
}

function instant(us: number): string {
  const whole = new Date(Math.floor(us / 1_000_000) * 1000).toISOString().slice(0, 19)
  const fraction = String(us % 1_000_000).padStart(6, '0')
  return `${whole}${fraction === '000000' ? '' : `.${fraction}`}Z`
}
