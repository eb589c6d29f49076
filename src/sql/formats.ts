import { quoteText } from './emitted.ts'

/** Format elements that stand for several others. */
export const SHORT: Record<string, string> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  h: '%b',
  X: '%H:%M:%S',
  x: '%m/%d/%y',
  c: '%a %b %e %H:%M:%S %Y',
}
/** Elements both sides know. */
const SHARED = new Set('YymdHIMSjaAbBpUWGVuw%'.split(''))

export const ELEMENT = /%(E[*#\d]?[SYz]|[-_]?[a-zA-Z%])/g

type Piece = { format: string } | { sql: string }

/** Engine SQL that writes `value` by a GoogleSQL format, or the element that has no translation. */
export function formatTime(format: string, value: string): { sql: string } | { unknown: string } {
  const pieces: Piece[] = []
  const unknown = collect(format, value, pieces)
  if (unknown !== null) return { unknown }
  const parts = pieces.map((piece) => ('sql' in piece ? piece.sql : `strftime(${value}, ${quoteText(piece.format)})`))
  if (parts.length === 0) return { sql: "''" }
  return { sql: parts.length === 1 ? parts[0]! : `(${parts.join(' || ')})` }
}

function collect(format: string, value: string, pieces: Piece[]): string | null {
  let at = 0
  for (const match of format.matchAll(ELEMENT)) {
    addText(pieces, format.slice(at, match.index).replaceAll('%', '%%'))
    at = match.index + match[0].length
    const element = match[1]!
    const short = SHORT[element]
    const sql = written(element, value)
    if (SHARED.has(element)) addText(pieces, match[0])
    else if (short !== undefined) collect(short, value, pieces)
    else if (sql !== null) pieces.push({ sql })
    else return match[0]
  }
  addText(pieces, format.slice(at).replaceAll('%', '%%'))
  return null
}

function addText(pieces: Piece[], format: string): void {
  if (format === '') return
  const last = pieces.at(-1)
  if (last && 'format' in last) last.format += format
  else pieces.push({ format })
}

/** Elements the engine's own formatter lacks. */
function written(element: string, value: string): string | null {
  const padded = (number: string, filler: string) => `lpad(CAST(${number} AS VARCHAR), 2, '${filler}')`
  const digits = /^E([\d#*])S$/.exec(element)?.[1]
  if (digits !== undefined) {
    const micros = `strftime(${value}, '%S.%f')`
    return /\d/.test(digits)
      ? `left(${micros}, ${digits === '0' ? 2 : 3 + Number(digits)})`
      : `regexp_replace(${micros}, '\\.?0+$', '')`
  }
  switch (element) {
    case 'E4Y':
      return `strftime(${value}, '%Y')`
    case 'e':
      return padded(`day(${value})`, ' ')
    case 'k':
      return padded(`hour(${value})`, ' ')
    case 'l':
      return padded(`(hour(${value}) + 11) % 12 + 1`, ' ')
    case 'C':
      return padded(`year(${value}) // 100`, '0')
    case 'g':
      return `right(strftime(${value}, '%G'), 2)`
    case 'P':
      return `lower(strftime(${value}, '%p'))`
    case 'Q':
      return `CAST(quarter(${value}) AS VARCHAR)`
    case 's':
      return `CAST(epoch_us(${value}) // 1000000 AS VARCHAR)`
    case 'n':
      return 'chr(10)'
    case 't':
      return 'chr(9)'
    case 'Z':
      return "'UTC'"
    case 'z':
      return "'+0000'"
    case 'Ez':
      return "'+00:00'"
    default:
      return null
  }
}

/** The engine's parse format, or null when an element has none. */
export function parseFormat(format: string): string | null {
  let failed = false
  const known: Record<string, string> = {
    ...SHORT,
    e: '%d',
    k: '%H',
    l: '%I',
    P: '%p',
    'E*S': '%S.%f',
    E4Y: '%Y',
    Z: '%Z',
    z: '%z',
    Ez: '%z',
  }
  const text = format.replace(ELEMENT, (all, element: string) => {
    if (SHARED.has(element)) return all
    const other = known[element] ?? (/^E\dS$/.test(element) ? '%S.%f' : undefined)
    if (other === undefined) failed = true
    return (other ?? all).replace('%e', '%d')
  })
  return failed ? null : text
}
