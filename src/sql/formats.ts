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

/** How an engine writes a time by a format. */
type Writer = {
  /** Text between elements, as the engine's formats have it. */
  plain(text: string): string
  /** The element in the engine's formats, if they have it. */
  own(element: string): string | undefined
  /** SQL for an element that they lack, or null. */
  written(element: string): string | null
  /** SQL that writes the time by a format of the engine. */
  formatted(format: string): string
  joined(parts: string[]): string
}

type Piece = { format: string } | { sql: string }

/** Engine SQL that writes a time by a GoogleSQL format, or the element that has no translation. */
export function writeFormat(format: string, writer: Writer): { sql: string } | { unknown: string } {
  const pieces: Piece[] = []
  const unknown = collect(format, writer, pieces)
  if (unknown !== null) return { unknown }
  const parts = pieces.map((piece) => ('sql' in piece ? piece.sql : writer.formatted(piece.format)))
  if (parts.length === 0) return { sql: "''" }
  return { sql: parts.length === 1 ? parts[0]! : writer.joined(parts) }
}

function collect(format: string, writer: Writer, pieces: Piece[]): string | null {
  let at = 0
  for (const match of format.matchAll(ELEMENT)) {
    addText(pieces, writer.plain(format.slice(at, match.index)))
    at = match.index + match[0].length
    const element = match[1]!
    const own = writer.own(element)
    const short = SHORT[element]
    const sql = writer.written(element)
    if (own !== undefined) addText(pieces, own)
    else if (short !== undefined) collect(short, writer, pieces)
    else if (sql !== null) pieces.push({ sql })
    else return match[0]
  }
  addText(pieces, writer.plain(format.slice(at)))
  return null
}

function addText(pieces: Piece[], format: string): void {
  if (format === '') return
  const last = pieces.at(-1)
  if (last && 'format' in last) last.format += format
  else pieces.push({ format })
}

/** Percent signs that begin no element. */
export const withPercents = (text: string): string => text.replaceAll('%', '%%')

export const formatTime = (format: string, value: string): { sql: string } | { unknown: string } =>
  writeFormat(format, {
    plain: withPercents,
    own: (element) => (SHARED.has(element) ? `%${element}` : undefined),
    written: (element) => written(element, value),
    formatted: (text) => `strftime(${value}, ${quoteText(text)})`,
    joined: (parts) => `(${parts.join(' || ')})`,
  })

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
