import { asFault, type Intake } from '../../intake.ts'
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, skipSpace } from '../../json/bytes.ts'
import { BrokenJson, skipName, skipValue } from '../../json/skip.ts'
import type { JsonValue } from '../../json/value.ts'
import { SharedBytes } from '../shared-bytes.ts'
import { elementsOf, fieldAt } from '../walk.ts'
import { Entries } from './entries.ts'
import { nameIn, shapeOf } from './streams.ts'

/** A push as JSON, in one walk: an entry is taken where it is met, when its stream's labels stand before, as they do. */
export async function readJson(intake: Intake, part: string | undefined): Promise<void> {
  try {
    await new Push(intake, part).read()
  } catch (error) {
    throw asFault(error)
  }
}

class Push {
  readonly #intake: Intake
  readonly #body: Buffer
  readonly #part: string | undefined
  readonly #entries: Entries
  readonly #shared = new SharedBytes('Labels')

  constructor(intake: Intake, part: string | undefined) {
    this.#intake = intake
    this.#body = intake.body
    this.#part = part
    this.#entries = new Entries(intake)
  }

  async read(): Promise<void> {
    const body = this.#body
    const start = skipSpace(body, 0)
    let end = -1
    if (body[start] === OPEN_OBJECT && body[skipSpace(body, start + 1)] !== CLOSE_OBJECT) {
      let hasStreams = false
      let at = skipSpace(body, start + 1)
      while (at >= 0) {
        const value = skipSpace(body, skipName(body, at))
        const isStreams = !hasStreams && isNamed(body, at, STREAMS)
        if (isStreams) hasStreams = true
        end = isStreams ? await this.#streams(value) : skipValue(body, value)
        at = next(body, end, CLOSE_OBJECT)
      }
      end = ~at + 1
    } else end = skipValue(body, start)
    end = skipSpace(body, end)
    if (end < body.length) throw new BrokenJson(body, end)
  }

  async #streams(from: number): Promise<number> {
    const body = this.#body
    const first = skipSpace(body, from + 1)
    if (body[from] !== OPEN_LIST || body[first] === CLOSE_LIST) return skipValue(body, from)
    let at = first
    while (at >= 0) at = next(body, await this.#stream(at), CLOSE_LIST)
    return ~at + 1
  }

  async #stream(from: number): Promise<number> {
    const body = this.#body
    const first = skipSpace(body, from + 1)
    if (body[from] !== OPEN_OBJECT || body[first] === CLOSE_OBJECT) return skipValue(body, from)
    let labels = -1
    let hasValues = false
    let isTaken = false
    let at = first
    while (at >= 0) {
      const value = skipSpace(body, skipName(body, at))
      const isValues = isNamed(body, at, VALUES)
      isTaken ||= isValues && labels >= 0 && !hasValues
      let end = -1
      if (isValues && isTaken && !hasValues) end = await this.#values(labels, value)
      else end = skipValue(body, value)
      if (isValues) hasValues = true
      if (labels < 0 && isNamed(body, at, STREAM)) labels = value
      at = next(body, end, CLOSE_OBJECT)
    }
    if (!isTaken) await this.#oddStream(from)
    return ~at + 1
  }

  /** `labels` were found to be sound. */
  async #values(labels: number, from: number): Promise<number> {
    const intake = this.#intake
    const body = this.#body
    const first = skipSpace(body, from + 1)
    if (body[from] !== OPEN_LIST || body[first] === CLOSE_LIST) return skipValue(body, from)
    const shared = intake.valueAt(labels)
    if (this.#part !== undefined && nameIn(shared) !== this.#part) return skipValue(body, from)
    const shape = shapeOf(shared)
    this.#entries.enter(shared)
    this.#shared.enter(shared)
    let at = first
    while (at >= 0) {
      this.#shared.count()
      let end = this.#entries.taken(at)
      if (end < 0) {
        if (!intake.isSound) await intake.assertSound()
        end = intake.event(at, shape)
      }
      at = next(body, end, CLOSE_LIST)
      if (intake.isDueToPause) await intake.pause()
    }
    return ~at + 1
  }

  /** A stream with other names, another order, or without labels. */
  async #oddStream(from: number): Promise<void> {
    const intake = this.#intake
    const body = this.#body
    if (!intake.isSound) await intake.assertSound()
    const at = fieldAt(body, from, 'stream', 'labels')
    const labels: JsonValue = at < 0 ? null : intake.valueAt(at)
    if (this.#part !== undefined && nameIn(labels) !== this.#part) return
    const shape = shapeOf(labels)
    this.#shared.enter(labels)
    for (const entry of elementsOf(body, fieldAt(body, from, 'values', 'entries'))) {
      this.#shared.count()
      intake.event(entry, shape)
      if (intake.isDueToPause) await intake.pause()
    }
  }
}

const STREAMS = Buffer.from('"streams"')
const STREAM = Buffer.from('"stream"')
const VALUES = Buffer.from('"values"')

function isNamed(body: Buffer, at: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (body[at + i] !== name[i]) return false
  return true
}

/** Where the next value begins after one that ended here, or the complement of where its container closes. */
function next(body: Buffer, end: number, close: number): number {
  const at = skipSpace(body, end)
  if (body[at] === close) return ~at
  if (body[at] !== COMMA) throw new BrokenJson(body, at)
  return skipSpace(body, at + 1)
}
