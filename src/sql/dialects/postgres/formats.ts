import { quoteText } from '../../emitted.ts'
import { ELEMENT, SHORT, writeFormat } from '../../formats.ts'

/** Elements as the engine's templates have them; `FM` takes the padding away. */
const TEMPLATES: Record<string, string> = {
  Y: 'YYYY',
  E4Y: 'YYYY',
  y: 'YY',
  m: 'MM',
  d: 'DD',
  H: 'HH24',
  I: 'HH12',
  M: 'MI',
  S: 'SS',
  j: 'DDD',
  a: 'Dy',
  A: 'FMDay',
  b: 'Mon',
  B: 'FMMonth',
  p: 'AM',
  G: 'IYYY',
  g: 'IY',
  V: 'IW',
  u: 'ID',
  Q: 'Q',
  P: 'am',
  C: 'CC',
}

const inTemplate = (text: string): string => (text === '' ? '' : `"${text.replace(/["\\]/g, '\\$&')}"`)

/** SQL that writes the clock by a GoogleSQL format, or the element that has no translation. */
export function formatTime(format: string, of: string): { sql: string } | { unknown: string } {
  const clock = `CAST(${of} AS timestamp)`
  return writeFormat(format, {
    plain: inTemplate,
    own: (element) => (element === 'C' ? undefined : TEMPLATES[element]),
    written: (element) => written(element, clock),
    formatted: (template) => `to_char(${clock}, ${quoteText(template)})`,
    joined: (parts) => `(${parts.join(' || ')})`,
  })
}

/** Elements that templates lack. */
function written(element: string, clock: string): string | null {
  const number = (part: string): string => `CAST(extract(${part} FROM ${clock}) AS integer)`
  const padded = (value: string, filler: string): string => `lpad(CAST(${value} AS text), 2, '${filler}')`
  const digits = /^E([\d#*])S$/.exec(element)?.[1]
  if (digits !== undefined) {
    const seconds = `to_char(${clock}, 'SS.US')`
    return /\d/.test(digits)
      ? `left(${seconds}, ${digits === '0' ? 2 : 3 + Number(digits)})`
      : `regexp_replace(${seconds}, '\\.?0+$', '')`
  }
  switch (element) {
    case '%':
      return "'%'"
    case 'e':
      return padded(number('day'), ' ')
    case 'k':
      return padded(number('hour'), ' ')
    case 'l':
      return padded(`(${number('hour')} + 11) % 12 + 1`, ' ')
    case 'C':
      return padded(`${number('year')} / 100`, '0')
    case 'w':
      return `CAST(${number('dow')} AS text)`
    case 'U':
      return padded(`(${number('doy')} + 6 - ${number('dow')}) / 7`, '0')
    case 'W':
      return padded(`(${number('doy')} + 6 - (${number('dow')} + 6) % 7) / 7`, '0')
    case 's':
      return `CAST(floor(extract(epoch FROM ${clock})) AS text)`
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

/** What the text of an element looks like; a number where nothing else is said. */
const LOOKS: Record<string, string> = {
  Y: '\\d{4}',
  E4Y: '\\d{4}',
  G: '\\d{4}',
  j: '\\d{1,3}',
  a: '[A-Za-z]+',
  A: '[A-Za-z]+',
  b: '[A-Za-z]+',
  B: '[A-Za-z]+',
  p: '[AaPp][Mm]',
  P: '[AaPp][Mm]',
  z: '[+-]\\d{2}:?\\d{2}',
  Ez: '[+-]\\d{2}:?\\d{2}',
  '%': '%',
}

const inPattern = (text: string): string => text.replace(/[^\w\s]/g, '\\$&').replace(/\s+/g, '\\s+')

type Reading = { template: string; pattern: string }

/**
 * How texts of a GoogleSQL format are read, or null when an element cannot be. The engine's reader is content with parts
 * of a text, so what a whole one looks like is asked first.
 */
export function readingOf(format: string): Reading | null {
  const known: Record<string, string> = {
    ...TEMPLATES,
    ...{ e: 'DD', k: 'HH24', l: 'HH12', z: 'TZHTZM', Ez: 'TZH:TZM', '%': '"%"' },
  }
  const whole = format.replace(ELEMENT, (all, element: string) => SHORT[element] ?? all)
  let template = ''
  let pattern = ''
  let at = 0
  for (const match of whole.matchAll(ELEMENT)) {
    const [all, element = ''] = match
    const between = whole.slice(at, match.index)
    at = match.index + all.length
    const isSeconds = /^E[\d*]S$/.test(element)
    const found = isSeconds ? 'SS.US' : known[element]
    if (found === undefined) return null
    template += inTemplate(between) + found
    pattern += inPattern(between) + (isSeconds ? '\\d{1,2}(\\.\\d+)?' : (LOOKS[element] ?? ' ?\\d{1,2}'))
  }
  const rest = whole.slice(at)
  return { template: template + inTemplate(rest), pattern: `^\\s*${pattern}${inPattern(rest)}\\s*$` }
}
