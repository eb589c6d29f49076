/**
 * Takes addresses of machines out of an answer: every IPv4 and IPv6 address in a text value, nested ones included, is
 * replaced by `REDACTED`. Keys, numbers and everything else stay as they are. It works on the finished JSON, so that
 * one kept answer serves readers of both kinds.
 */
const REDACTED = 'REDACTED'

/** A JSON text, and whether it is a key. */
const JSON_STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g

export function redactJson(json: string): string {
  return json.replace(JSON_STRING, (token, colon: string | undefined) => {
    if (colon !== undefined || !/[.:]|\\u/.test(token)) return token
    const text: string = JSON.parse(token)
    const redacted = redactText(text)
    return redacted === text ? token : JSON.stringify(redacted)
  })
}

const OCTET = '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])'
const IPV4 = new RegExp(`(?<![0-9])${OCTET}(?:\\.${OCTET}){3}(?![0-9])`, 'g')
const IPV4_HERE = new RegExp(`${OCTET}(?:\\.${OCTET}){3}(?![0-9])`, 'y')

export function redactText(text: string): string {
  return redactIpv6(text).replace(IPV4, REDACTED)
}

/** Nothing else can be part of an address; an address is one run of these, or inside one. */
const RUN = /[0-9A-Fa-f:.]+/g
const ZONE = /%[0-9A-Za-z_.~-]+/y

function redactIpv6(text: string): string {
  if (!text.includes(':')) return text
  let result = ''
  let copied = 0
  RUN.lastIndex = 0
  for (let run = RUN.exec(text); run; run = RUN.exec(text)) {
    const runEnd = run.index + run[0].length
    if (!run[0].includes(':')) continue
    for (let at = run.index; at < runEnd; ) {
      const end = addressEnd(text, at, run.index, runEnd)
      if (end === null) {
        at = nextStart(text, at, runEnd)
        continue
      }
      result += text.slice(copied, at) + REDACTED
      copied = afterZone(text, end)
      at = end
    }
  }
  return result + text.slice(copied)
}

/** Where the longest address that starts here ends, or null when none does. */
function addressEnd(text: string, at: number, runStart: number, runEnd: number): number | null {
  const { end, groups } = readIpv6(text, at)
  if (end === null) return null
  const isGlued = (at === runStart && isWord(text[at - 1])) || (end === runEnd && isWord(text[end]))
  // `std::deque` is no address, `v6=x2001:db8::1` holds one.
  return isGlued && groups < 3 ? null : end
}

const GROUP = /[0-9A-Fa-f]{1,5}/y
const MOST_GROUPS = 8

/** Reads groups as far as they go and notes the last place up to which they were an address; `::` alone is none. */
function readIpv6(text: string, start: number): { end: number | null; groups: number } {
  const found: { end: number | null; groups: number } = { end: null, groups: 0 }
  let groups = 0
  let isCompressed = text.startsWith('::', start)
  let at = isCompressed ? start + 2 : start
  while (groups < MOST_GROUPS) {
    GROUP.lastIndex = at
    const group = GROUP.exec(text)?.[0]
    if (group === undefined || group.length > 4) break
    const ipv4End = text[at + group.length] === '.' ? endOfIpv4(text, at) : null
    if (ipv4End !== null && (isCompressed ? groups < 6 : groups === 6)) return { end: ipv4End, groups: groups + 2 }
    groups += 1
    at += group.length
    const isWhole = isCompressed ? groups < MOST_GROUPS : groups === MOST_GROUPS
    if (isWhole) Object.assign(found, { end: at, groups })
    if (text[at] !== ':') break
    if (text[at + 1] !== ':') at += 1
    else if (isCompressed || groups === MOST_GROUPS) break
    else {
      isCompressed = true
      at += 2
      Object.assign(found, { end: at, groups })
    }
  }
  return found
}

function endOfIpv4(text: string, at: number): number | null {
  IPV4_HERE.lastIndex = at
  return IPV4_HERE.test(text) ? IPV4_HERE.lastIndex : null
}

const isWord = (char: string | undefined): boolean => char !== undefined && /[0-9A-Za-z]/.test(char)

/** An address starts where a run does, behind a separator, or with `::`. */
function nextStart(text: string, at: number, runEnd: number): number {
  let next = at + 1
  while (next < runEnd && !isStart(text, next)) next++
  return next
}

const isStart = (text: string, at: number): boolean =>
  text[at] === ':' ? text[at + 1] === ':' : text[at - 1] === ':' || text[at - 1] === '.'

function afterZone(text: string, end: number): number {
  ZONE.lastIndex = end
  return ZONE.test(text) ? ZONE.lastIndex : end
}
