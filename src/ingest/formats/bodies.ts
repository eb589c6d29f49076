import { Fault } from '../../base/faults.ts'
import { asFault, type Intake, type Shape } from '../intake.ts'
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, NEWLINE, OPEN_LIST, OPEN_OBJECT, QUOTE, skipSpace } from '../json/bytes.ts'
import { readString } from '../json/read.ts'
import { BrokenJson, skipName, skipValue } from '../json/skip.ts'
import { type Headers, NAMING_FIELDS, type NamingField } from './format.ts'
import { layoutOf } from './media.ts'

/** Where the events of a body stand: the layouts that all formats share. */
export type Shapes = {
  /** For each element of a list or batch. */
  element?: Shape | undefined
  /** Takes an element as bytes, where its shape allows that: the position after it, or -1. */
  taken?: ((from: number) => number) | undefined
  /** For a body that is one event. */
  single?: Shape | undefined
  /** For each line. */
  line?: Shape | undefined
  /** Whether `{"batch":[…]}` is a list of events or one event with a field `batch`. */
  unwrapsBatch: boolean
}

/** One JSON value: a list, an object with a batch, or one event. Lines that came under the label of JSON are seen too. */
export async function readJsonBody(intake: Intake, shapes: Shapes): Promise<void> {
  const { body } = intake
  const start = startOf(body)
  try {
    if (body[start] === OPEN_LIST) return assertEnd(body, await readList(intake, start, shapes))
    if (isScannedAlone(intake, start, shapes)) return
    const batchEnd = body[start] === OPEN_OBJECT && shapes.unwrapsBatch ? await readBatch(intake, start, shapes) : -1
    if (batchEnd >= 0) return assertEnd(body, batchEnd)
    const end = skipValue(body, start)
    if (hasMoreLines(body, start, end)) return await readLines(intake, shapes.line)
    assertEnd(body, end)
    if (shapes.single || intake.scanned(start) < 0) intake.event(start, shapes.single)
  } catch (error) {
    throw asFault(error)
  }
}

/**
 * A lone object that the scan takes at once, which most are: it is then walked once and not three times. The scan refuses
 * no event and stores none that is followed by anything, so whatever it is not is found out the long way.
 */
function isScannedAlone(intake: Intake, start: number, { unwrapsBatch, single }: Shapes): boolean {
  const { body } = intake
  if (single || body[start] !== OPEN_OBJECT || (unwrapsBatch && body.includes('"batch"', start, 'latin1'))) return false
  return intake.scannedToEnd(start)
}

/** One event per line; blank lines are no events. */
export async function readLines(intake: Intake, shape?: Shape): Promise<void> {
  const { body } = intake
  let at = startOf(body)
  while (at < body.length) {
    const newline = body.indexOf(NEWLINE, at)
    const end = newline < 0 ? body.length : newline
    intake.line(at, end, shape)
    if (intake.isDueToPause) await intake.pause()
    at = skipSpace(body, end)
  }
}

/** A body whose events all look alike, whether they come as one object, a list or lines. */
export async function readAlike(intake: Intake, headers: Headers, shape: Shape): Promise<void> {
  if (layoutOf(headers) === 'lines') return readLines(intake, shape)
  return readJsonBody(intake, { unwrapsBatch: false, element: shape, single: shape, line: shape })
}

async function readList(intake: Intake, from: number, { element, taken }: Shapes): Promise<number> {
  const { body } = intake
  let at = skipSpace(body, from + 1)
  if (body[at] === CLOSE_LIST) return at + 1
  for (;;) {
    let end = taken ? taken(at) : element ? -1 : intake.scanned(at)
    if (end < 0) {
      if (!intake.isSound) await intake.assertSound()
      end = intake.event(at, element)
    }
    at = skipSpace(body, end)
    if (body[at] === CLOSE_LIST) return at + 1
    if (body[at] !== COMMA) throw new BrokenJson(body, at)
    at = skipSpace(body, at + 1)
    if (intake.isDueToPause) await intake.pause()
  }
}

/** Takes the events of every `batch` list of the object; the position after the object, or -1 when it has none. */
async function readBatch(intake: Intake, from: number, shapes: Shapes): Promise<number> {
  const { body } = intake
  let at = skipSpace(body, from + 1)
  if (body[at] === CLOSE_OBJECT) return -1
  let hasBatch = false
  for (;;) {
    const value = skipSpace(body, skipName(body, at))
    const isBatch = body[value] === OPEN_LIST && isNamed(body, at, 'batch')
    if (isBatch) hasBatch = true
    at = skipSpace(body, isBatch ? await readList(intake, value, shapes) : skipValue(body, value))
    if (body[at] === CLOSE_OBJECT) return hasBatch ? at + 1 : -1
    if (body[at] !== COMMA) throw new BrokenJson(body, at)
    at = skipSpace(body, at + 1)
  }
}

/**
 * The source that a body names for itself, at its top level: beside a batch, or in a single event. Lines and lists
 * have no top level. A broken body names what stands before the break; reading it will say what is wrong.
 */
export function sourceInBody(body: Buffer): { field: NamingField; value: string } | null {
  const named: Partial<Record<NamingField, string>> = {}
  const start = skipSpace(body, 0)
  if (body[start] !== OPEN_OBJECT) return null
  try {
    let at = skipSpace(body, start + 1)
    while (body[at] === QUOTE) {
      const value = skipSpace(body, skipName(body, at))
      const end = skipValue(body, value)
      const field = body[value] === QUOTE ? NAMING_FIELDS.find((name) => isNamed(body, at, name)) : undefined
      if (field) named[field] = readString(body, value, end)
      at = skipSpace(body, end)
      if (body[at] === COMMA) at = skipSpace(body, at + 1)
    }
    if (skipSpace(body, at + 1) < body.length) return null
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error
  }
  const field = NAMING_FIELDS.find((name) => named[name] !== undefined)
  return field ? { field, value: named[field] ?? '' } : null
}

const isNamed = (body: Buffer, at: number, name: string): boolean =>
  body.toString('latin1', at, at + name.length + 2) === `"${name}"`

function startOf(body: Buffer): number {
  const start = skipSpace(body, 0)
  if (start === body.length) throw new Fault('bad_request', 'The body is empty. Send at least one event.')
  return start
}

function assertEnd(body: Buffer, at: number): void {
  const end = skipSpace(body, at)
  if (end < body.length) throw new BrokenJson(body, end)
}

/** Whether a first value on one line is followed by further lines. */
function hasMoreLines(body: Buffer, start: number, end: number): boolean {
  const newline = body.indexOf(NEWLINE, start)
  return newline >= end && skipSpace(body, end) > newline && skipSpace(body, end) < body.length
}
