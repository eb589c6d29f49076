import { Fault } from '../base/faults.ts'
import type { Batch } from './batch.ts'
import { skipSpace } from './json/bytes.ts'
import { JsonReader, type NameCache, TooDeep } from './json/read.ts'
import { BrokenJson, Skip, skipValue } from './json/skip.ts'
import type { JsonValue } from './json/value.ts'
import { Words } from './json/words.ts'
import { BYTES_PER_TURN, MAX_AHEAD_US, MAX_DEPTH, MAX_EVENT_BYTES, MAX_EVENTS, MAX_TOLD_REFUSALS } from './limits.ts'
import type { Arrival } from './pipeline/standard.ts'
import { Refusal } from './refusal.ts'
import { Scan } from './scan/scan.ts'
import type { Scratch } from './scan/scratch.ts'
import type { SourceFields } from './schema/source-fields.ts'
import { nextTurn, Turns } from './turns.ts'

export type Refused = {
  index: number
  reason: string
  from: number
  to: number
  /** How to read it, where the format's own way is for larger pieces of the body. */
  show?: (() => string) | undefined
}

type Parts = {
  body: Buffer
  batch: Batch
  /** A time that the request gives all its events. */
  time: string | undefined
  names: NameCache
  scratch: Scratch
}

/** Turns a sent value into the event it stands for; formats that wrap events give one. */
export type Shape = (value: JsonValue, from: number, to: number) => JsonValue

/**
 * Takes the events of one request, in the order a format finds them in the body. Most pass the scan and are copied;
 * the others go through the pipeline.
 *
 * A body that turns out to be broken must not leave a trace in the schema, so before the first event goes through
 * the pipeline the whole body is checked once (`assertSound`).
 */
export class Intake {
  readonly body: Buffer
  /** The first of them; `refusedCount` counts all. */
  readonly refused: Refused[] = []
  refusedCount = 0
  /** The whole body was checked to be JSON. */
  isSound = false
  /** Where a format writes an event for `written`. */
  readonly scratch: Scratch
  readonly #arrival: Arrival
  readonly #batch: Batch
  readonly #scan: Scan
  readonly #reader: JsonReader
  readonly #mayScan: boolean
  readonly #turns: Turns
  #writtenScan: Scan | null = null
  #words: Words | null = null
  #index = 0
  #at = 0

  constructor({ body, batch, time, names, scratch }: Parts) {
    const { nowUs, oldestUs } = batch
    this.body = body
    this.scratch = scratch
    this.#batch = batch
    this.#arrival = { nowUs, oldestUs, retentionDays: batch.source.retention_days, time }
    this.#scan = new Scan(body, batch.fields, nowUs, oldestUs, batch.pipeline.unread)
    this.#reader = new JsonReader(body, MAX_DEPTH, names)
    this.#mayScan = time === undefined
    this.#turns = new Turns(batch.sieve !== null)
  }

  /** Takes the event that begins here if its bytes will do as they are: the position after it, or -1. */
  scanned(from: number): number {
    if (!this.#mayScan) return -1
    const end = this.#scan.event(from)
    if (end > 0) this.#copy(from, end)
    return end
  }

  /** Takes the event that begins here if its bytes will do and nothing stands behind it. */
  scannedToEnd(from: number): boolean {
    if (!this.#mayScan) return false
    const end = this.#scan.event(from)
    if (end < 0 || skipSpace(this.body, end) < this.body.length) return false
    this.#copy(from, end)
    return true
  }

  /** Takes the event that begins here through the pipeline; the body must be sound. Answers the position after it. */
  event(from: number, shape?: Shape): number {
    return this.#read(from, -1, shape)
  }

  /** When the request came in. */
  get nowMs(): number {
    return this.#arrival.nowUs / 1000
  }

  /**
   * Takes an event that a format makes of other bytes than JSON, `from` to `to`; of too many it is not made. `show`: as
   * people can read it, should it be refused, where the format's own `show` cannot.
   */
  made(from: number, to: number, make: () => JsonValue | Refusal, show?: () => string): void {
    const event = to - from > MAX_EVENT_BYTES ? new Refusal('is over 1 MB') : madeOrTooDeep(make)
    if (event instanceof Refusal) this.#refuse(event.reason, from, to, show)
    else this.#store(event, from, to, undefined, show)
    this.#at = to
  }

  /** The body, for formats that copy from it. */
  get words(): Words {
    this.#words ??= new Words(this.body)
    return this.#words
  }

  /**
   * Takes the event that a format wrote to the scratch in place of the bytes up to `to`; answers whether it will do as it is.
   * `timeAt`: where its time must have been found for the bytes to mean what the format thinks; -1: anywhere.
   */
  written(to: number, timeAt = -1): boolean {
    if (!this.#mayScan) return false
    const { nowUs, oldestUs } = this.#arrival
    const { bytes, length } = this.scratch
    const { fields, pipeline } = this.#batch
    this.#writtenScan ??= new Scan(bytes, fields, nowUs, oldestUs, pipeline.unread)
    const scan = this.#writtenScan
    // What an event before has left behind is no part of this one.
    if (scan.event(0) !== length) return false
    if (timeAt >= 0 && (scan.timestampUs < 0 || fields.timestamp.valueAt !== timeAt)) return false
    this.#batch.takeBytes(bytes, 0, length, scan, scan.timestampUs < 0 ? nowUs : scan.timestampUs)
    this.#at = to
    this.#next()
    return true
  }

  /**
   * The fields that a format may write events for by itself (`fitted`); null when settings or rules must see each event,
   * so that it has to be scanned.
   */
  get fieldsToFit(): SourceFields | null {
    const { sieve, pipeline, fields } = this.#batch
    return this.#mayScan && sieve === null && !pipeline.isNeeded ? fields : null
  }

  /** Whether the scan would take an event of these bytes: for what many events have in common. */
  wouldFit(bytes: Buffer): boolean {
    const { nowUs, oldestUs } = this.#arrival
    return new Scan(bytes, this.#batch.fields, nowUs, oldestUs).event(0) === bytes.length
  }

  /**
   * Takes the event in the scratch as `written` does, without a scan: the format promises what the scan would, each name a
   * known field that is there once, each value fit for it. The time, -1 for none, stands beside it and not in it.
   */
  fitted(to: number, timestampUs: number): boolean {
    const { nowUs, oldestUs } = this.#arrival
    const time = timestampUs < 0 ? nowUs : timestampUs
    if (time < oldestUs || time > nowUs + MAX_AHEAD_US) return false
    const { bytes, length } = this.scratch
    this.#batch.rows.copy(bytes, 0, length, -1, -1, time)
    this.#at = to
    this.#next()
    return true
  }

  /** A value beside the events, such as what a group of them shares; the body must be sound. */
  valueAt(from: number): JsonValue {
    try {
      return this.#reader.read(from)
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      throw new Fault('bad_request', `The body is deeper than ${MAX_DEPTH} levels.`)
    }
  }

  /** Takes the event of one line if its bytes will do. */
  scannedLine(from: number, to: number): boolean {
    if (!this.#mayScan) return false
    const end = this.#scan.event(from)
    if (end < 0 || skipSpace(this.body, end) < to) return false
    this.#copy(from, end)
    return true
  }

  /** The event of one line. A broken line is refused alone. */
  line(from: number, to: number, shape?: Shape): void {
    if (shape === undefined && this.scannedLine(from, to)) return
    try {
      const end = skipValue(this.body.subarray(0, to), from)
      if (skipSpace(this.body, end) < to) throw new BrokenJson(this.body, end)
      this.#read(from, end, shape)
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error
      const where = error.at >= to ? 'ends too early' : `is broken at its byte ${error.at - from}`
      this.#refuse(`the JSON ${where}`, from, to)
    }
  }

  /** Throws unless the whole body is one JSON value. */
  async assertSound(): Promise<void> {
    const skip = new Skip(this.body, 0)
    while (!skip.run(skip.at + BYTES_PER_TURN)) await nextTurn()
    const end = skipSpace(this.body, skip.at)
    if (end < this.body.length) throw new BrokenJson(this.body, end)
    this.isSound = true
  }

  get isDueToPause(): boolean {
    return this.#turns.isDue(this.#at)
  }

  /** Lets other requests go on. */
  pause(): Promise<void> {
    return this.#turns.rest(this.#at)
  }

  #copy(from: number, end: number): void {
    const scan = this.#scan
    const time = scan.timestampUs < 0 ? this.#arrival.nowUs : scan.timestampUs
    this.#batch.takeBytes(this.body, from, end, scan, time)
    this.#at = end
    this.#next()
  }

  /** Reads the value at `from`, which is sound JSON; `end` is -1 when it is not known yet. Answers the end. */
  #read(from: number, end: number, shape: Shape | undefined): number {
    // Where a large event is possible its end is found first, so that one is never built in memory.
    if (end < 0 && this.body.length - from > MAX_EVENT_BYTES) end = skipValue(this.body, from)
    if (end - from > MAX_EVENT_BYTES) {
      this.#refuse('is over 1 MB', from, end)
      return end
    }
    try {
      const value = this.#reader.read(from)
      end = this.#reader.end
      this.#at = end
      this.#store(value, from, end, shape)
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      if (end < 0) end = skipValue(this.body, from)
      this.#refuse(TOO_DEEP, from, end)
    }
    return end
  }

  #store(value: JsonValue, from: number, end: number, shape: Shape | undefined, show?: () => string): void {
    const event = this.#batch.pipeline.prepare(shape ? shape(value, from, end) : value, this.#arrival)
    if (event instanceof Refusal) {
      this.#refuse(event.reason, from, end, show)
      return
    }
    this.#batch.take(event)
    this.#next()
  }

  #refuse(reason: string, from: number, to: number, show?: () => string): void {
    if (this.refusedCount++ < MAX_TOLD_REFUSALS) this.refused.push({ index: this.#index, reason, from, to, show })
    this.#at = to
    this.#next()
  }

  #next(): void {
    if (++this.#index > MAX_EVENTS) {
      throw new Fault('too_large', `The request has over ${MAX_EVENTS} events. Send smaller batches.`)
    }
  }
}

const TOO_DEEP = `is deeper than ${MAX_DEPTH} levels`

function madeOrTooDeep(make: () => JsonValue | Refusal): JsonValue | Refusal {
  try {
    return make()
  } catch (error) {
    if (error instanceof TooDeep) return new Refusal(TOO_DEEP)
    throw error
  }
}

export function asFault(error: unknown): unknown {
  return error instanceof BrokenJson ? new Fault('bad_request', `The body cannot be read: ${error.message}.`) : error
}
