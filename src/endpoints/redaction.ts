/**
 * Takes addresses of machines out of an answer: every IPv4 and IPv6 address in a text value, nested ones included, is
 * replaced by `REDACTED`. Keys, numbers and everything else stay as they are. It works on the finished JSON, so that
 * one kept answer serves readers of both kinds.
 */
import { isIPv6 } from 'node:net'

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
const IPV4_END = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)

export function redactText(text: string): string {
  return redactIpv6(text).replace(IPV4, REDACTED)
}

/** Nothing else can be part of an address; an address is one run of these, or inside one. */
const RUN = /[0-9A-Fa-f:.]+/g
const ZONE = /%[0-9A-Za-z_.~-]+/y
/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255` */
const LONGEST = 45

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
  for (let end = Math.min(runEnd, at + LONGEST); end > at + 2; end--) {
    if (end < runEnd && text[end] !== ':' && text[end] !== '.') continue
    const part = text.slice(at, end)
    if (!isAddress(part)) continue
    const isGlued = (at === runStart && isWord(text[at - 1])) || (end === runEnd && isWord(text[end]))
    // `std::deque` is no address, `v6=x2001:db8::1` holds one.
    if (!isGlued || groupsOf(part) >= 3) return end
  }
  return null
}

function isAddress(part: string): boolean {
  if (isIPv6(part)) return part !== '::'
  // Octets with leading zeros are addresses to some programs.
  const cut = part.lastIndexOf(':') + 1
  return part.includes('.') && IPV4_END.test(part.slice(cut)) && isIPv6(`${part.slice(0, cut)}0.0.0.0`)
}

const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char)

const groupsOf = (part: string): number => part.split(/[:.]/).filter((group) => group !== '').length

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
