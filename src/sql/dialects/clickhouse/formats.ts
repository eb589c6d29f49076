import { ELEMENT, SHORT, withPercents, writeFormat } from '../../formats.ts'
import { literal } from './nested.ts'

/** Elements as the engine's own formats have them. */
const OWN: Record<string, string> = {
  ...{ Y: '%Y', E4Y: '%Y', y: '%y', m: '%m', d: '%d', H: '%H', I: '%I', M: '%i', S: '%S', j: '%j', p: '%p' },
  ...{ a: '%a', A: '%W', b: '%b', B: '%M', G: '%G', g: '%g', V: '%V', u: '%u', w: '%w', Q: '%Q', C: '%C', '%': '%%' },
}

/** SQL that writes the clock by a GoogleSQL format, or the element that has no translation. */
export const formatTime = (format: string, clock: string): { sql: string } | { unknown: string } =>
  writeFormat(format, {
    plain: withPercents,
    own: (element) => OWN[element],
    written: (element) => written(element, clock),
    formatted: (text) => `formatDateTime(${clock}, ${literal(text)})`,
    joined: (parts) => `concat(${parts.join(', ')})`,
  })

/** Elements that the engine's formats lack, or write without their padding. */
function written(element: string, clock: string): string | null {
  const padded = (number: string, filler: string): string => `leftPad(toString(${number}), 2, '${filler}')`
  const digits = /^E([\d#*])S$/.exec(element)?.[1]
  if (digits !== undefined) {
    const seconds = `substring(toString(${clock}), 18)`
    return /\d/.test(digits)
      ? `substring(${seconds}, 1, ${digits === '0' ? 2 : 3 + Number(digits)})`
      : `replaceRegexpOne(${seconds}, '\\\\.?0+$', '')`
  }
  switch (element) {
    case 'e':
      return padded(`toDayOfMonth(${clock})`, ' ')
    case 'k':
      return padded(`toHour(${clock})`, ' ')
    case 'l':
      return padded(`(toHour(${clock}) + 11) % 12 + 1`, ' ')
    case 'P':
      return `lower(formatDateTime(${clock}, '%p'))`
    case 'U':
      return padded(`intDiv(toDayOfYear(${clock}) + 6 - toDayOfWeek(${clock}) % 7, 7)`, '0')
    case 'W':
      return padded(`intDiv(toDayOfYear(${clock}) + 6 - (toDayOfWeek(${clock}) + 6) % 7, 7)`, '0')
    case 's':
      return `toString(toUnixTimestamp(${clock}))`
    case 'n':
      return "'\\n'"
    case 't':
      return "'\\t'"
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

const PARSED = new Set('YymdHIMSjabBp%'.split(''))

/** The format that reads texts of a GoogleSQL format, or null when an element has none. */
export function parseFormat(format: string): string | null {
  const others: Record<string, string> = { E4Y: '%Y', e: '%e', k: '%H', l: '%I', z: '%z' }
  const whole = format.replace(ELEMENT, (all, element: string) => SHORT[element] ?? all)
  let isKnown = true
  const read = whole.replace(ELEMENT, (all, element: string) => {
    const own = PARSED.has(element) ? OWN[element] : others[element]
    if (own === undefined) isKnown = false
    return own ?? all
  })
  return isKnown ? read : null
}
