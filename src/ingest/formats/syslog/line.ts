import { fromPlain, JsonObject, NumberText } from '../../json/value.ts'
import { checkShape } from '../../pipeline/shape.ts'
import { at, text as textAt } from '../values.ts'
import { readLogfmt } from './logfmt.ts'

const FACILITIES =
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7'.split(
    ' ',
  )
const SEVERITIES = 'emergency alert critical error warning notice info debug'.split(' ')

/** Priority, version, time, host, program, process and message id; the rest is structured data and text. */
const HEADER = /^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) /
/** The old form; many senders write its time in the new way. */
const OLD_HEADER =
  /^<(\d{1,3})>([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (\S+) (?:([^\s:[]+)(?:\[([^\]]*)\])?: ?)?/
/** All that the old form asks for: whatever follows the priority is text. */
const PRIORITY = /^<(\d{1,3})>(?!1 )/

const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g

/** Processes of Heroku itself, which write pairs of names and values. */
const PLATFORM = /^(?:router$|heroku)/
export const isPlatform = (process: string): boolean => PLATFORM.test(process)

const DAY_MS = 86_400_000

/** Elements of structured data that are read; what follows stays text. Real messages have one or two. */
const ELEMENTS_MAX = 100

/** Levels of JSON found in a text; deeper JSON stays text. */
const DEPTH_MAX = 16

/** One message of RFC 5424, or of its predecessor RFC 3164, as an event; null when it is neither. */
export function readSyslog(raw: string, nowMs: number): JsonObject | null {
  const header = HEADER.exec(raw)
  if (header && isTime(header[2]!)) return readNew(raw, header)
  const old = OLD_HEADER.exec(raw)
  if (old) return readOld(raw, old, nowMs)
  const priority = PRIORITY.exec(raw)
  return priority && readBare(raw, priority)
}

const isTime = (text: string): boolean => text === '-' || /^\d{4}-\d\d-\d\dT/.test(text)

function readNew(raw: string, header: RegExpExecArray): JsonObject | null {
  const [whole, priority = '', time = '', hostname = '', appname = '', processId = '', messageId = ''] = header
  const { elements, end } = readStructuredData(raw, whole.length)
  const text = raw
    .slice(end)
    .replace(/^ /, '')
    .replace(/^\ufeff/, '')
  const metadata = graded(priority)
  if (!metadata) return null
  addGiven(metadata, { hostname, appname, process_id: processId, message_id: messageId })
  return finish(metadata, { raw, text, elements, time: time === '-' ? undefined : time })
}

function readOld(raw: string, header: RegExpExecArray, nowMs: number): JsonObject | null {
  const [whole, priority = '', time = '', hostname = '', appname = '-', processId = '-'] = header
  const metadata = graded(priority)
  if (!metadata) return null
  addGiven(metadata, { hostname, appname, process_id: processId })
  const text = raw.slice(whole.length)
  return finish(metadata, { raw, text, elements: [], time: timeWithoutYear(time, nowMs) })
}

function readBare(raw: string, [whole, priority = '']: RegExpExecArray): JsonObject | null {
  const metadata = graded(priority)
  return metadata && finish(metadata, { raw, text: raw.slice(whole.length), elements: [], time: undefined })
}

/** The old form has no year: it is this one, or the last when the message would be from tomorrow or later. */
export function timeWithoutYear(time: string, nowMs: number): string | undefined {
  if (isTime(time)) return time
  const year = new Date(nowMs).getUTCFullYear()
  const times = [year, year - 1].map((each) => Date.parse(`${time} ${each} UTC`))
  const atMs = times.find((each) => each < nowMs + DAY_MS)
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}

type Rest = { raw: string; text: string; elements: JsonObject[]; time: string | undefined }

function finish(metadata: JsonObject, { raw, text, elements, time }: Rest): JsonObject {
  metadata.add('message_raw', raw).add('message_text', text)
  const found = jsonIn(text)
  const sd = found ? [...elements, found] : elements
  if (sd.length > 0) metadata.add('sd', sd)
  const facts = isPlatform(textAt(at(metadata, 'process_id'))) ? readLogfmt(text) : null
  if (facts) metadata.add('logfmt', facts)
  const event = new JsonObject().add('event_message', text.replace(COLOURS, '')).add('metadata', metadata)
  return time === undefined ? event : event.add('timestamp', time)
}

function graded(priority: string): JsonObject | null {
  const grade = gradeOf(Number(priority))
  if (grade === null) return null
  const metadata = new JsonObject().add('priority', new NumberText(String(Number(priority))))
  for (const [name, value] of Object.entries(grade)) metadata.add(name, value)
  return metadata
}

/** What a priority says; null when it is none. */
export function gradeOf(priority: number): { facility: string; severity: string; level: string } | null {
  const severity = SEVERITIES[priority & 7]!
  const facility = FACILITIES[priority >> 3]
  return facility === undefined ? null : { facility, severity, level: severity }
}

function addGiven(metadata: JsonObject, fields: Record<string, string>): void {
  for (const [name, value] of Object.entries(fields)) if (value !== '-') metadata.add(name, value)
}

/** `[id name="value" …]…`, or a dash. Heroku leaves even the dash out, so what is neither is text. */
function readStructuredData(raw: string, from: number): { elements: JsonObject[]; end: number } {
  if (raw[from] === '-' && (raw.length === from + 1 || raw[from + 1] === ' ')) return { elements: [], end: from + 1 }
  const element = /\[([^\s=\]"]+)((?: [^\s=\]"]+="(?:[^"\\\]]|\\.)*")*)\]/y
  const elements: JsonObject[] = []
  let end = from
  while (elements.length < ELEMENTS_MAX) {
    element.lastIndex = end
    const match = element.exec(raw)
    if (!match) return { elements, end }
    const read = new JsonObject().add('id', match[1]!)
    for (const [, name = '', value = ''] of match[2]!.matchAll(/ ([^\s=\]"]+)="((?:[^"\\\]]|\\.)*)"/g))
      read.add(name === 'id' ? '_id' : name, value.replace(/\\(["\\\]])/g, '$1'))
    elements.push(read)
    end = element.lastIndex
  }
  return { elements, end }
}

/** A text that is, or ends in, a JSON object: its fields can be searched. */
function jsonIn(text: string): JsonObject | null {
  const start = text.indexOf('{')
  if (start < 0 || !text.trimEnd().endsWith('}')) return null
  try {
    const parsed: unknown = JSON.parse(text.slice(start))
    if (typeof parsed !== 'object' || parsed === null || !isShallow(parsed, DEPTH_MAX)) return null
    const found = new JsonObject().add('id', 'json')
    for (const [name, value] of Object.entries(parsed)) found.add(name === 'id' ? '_id' : name, fromPlain(value))
    // What no column can hold must not cost the message.
    return checkShape(found) ? null : found
  } catch {
    return null
  }
}

const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((child) => isShallow(child, levels - 1)))
