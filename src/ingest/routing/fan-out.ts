import { Fault } from '../../base/faults.ts'
import { JsonReader, NameCache } from '../json/read.ts'
import { JsonObject, NumberText } from '../json/value.ts'
import type { Lane, Lanes } from '../lane.ts'
import { BYTES_PER_TURN, MAX_COPIED_BYTES } from '../limits.ts'
import { idOfRow } from '../scan/rows.ts'
import { Scan } from '../scan/scan.ts'
import type { Mark } from './copies.ts'
import { NO_ROUTES } from './routing.ts'

export type Router = {
  /** Makes the copies of a request: a lane for each target that gets any. They join `lanes` as they are opened. */
  fanOut(lane: Lane, lanes: Lane[]): Promise<void>
}

export function createRouter({ lanes: { open } }: { lanes: Lanes }): Router {
  const names = new NameCache()

  return {
    async fanOut(from, lanes) {
      const { sieve, copies } = from
      if (sieve === null) return
      const sizes = sieve.targets.map((_, target) => copies.bytesOf(target))
      if (sizes.reduce((sum, bytes) => sum + bytes, 0) > MAX_COPIED_BYTES) {
        throw new Fault(
          'too_large',
          `The rules of this source make over ${MAX_COPIED_BYTES / 1e6} MB of copies of this request. Send smaller batches.`,
        )
      }
      for (const [target, source] of sieve.targets.entries()) {
        if (sizes[target] === 0) continue
        const lane = await open(source, NO_ROUTES, from.nowUs / 1000, sizes[target]!)
        lanes.push(lane)
        const copier = new Copier(from.rows.body, lane, names)
        let pauseAt = BYTES_PER_TURN
        let done = 0
        for (const mark of copies.of(target)) {
          copier.copy(mark)
          done += mark.rowTo - mark.rowFrom
          if (done < pauseAt) continue
          pauseAt = done + BYTES_PER_TURN
          await nextTurn()
        }
      }
    },
  }
}

/** Copies rows of one source into the lane of another. A row that fits there as it is stays the bytes it is. */
class Copier {
  readonly #rows: Buffer
  readonly #lane: Lane
  readonly #scan: Scan
  readonly #reader: JsonReader

  constructor(rows: Buffer, lane: Lane, names: NameCache) {
    this.#rows = rows
    this.#lane = lane
    this.#scan = new Scan(rows, lane.fields, lane.nowUs, lane.oldestUs)
    this.#reader = new JsonReader(rows, MAX_STORED_DEPTH, names)
  }

  copy(mark: Mark): void {
    const lane = this.#lane
    if (mark.timestampUs < lane.oldestUs) lane.droppedCount++
    else if (this.#scan.event(mark.eventFrom) === mark.rowTo - ROW_END_BYTES)
      lane.takeRow(this.#rows, mark.rowFrom, mark.rowTo, this.#scan, mark.timestampUs)
    else lane.take(this.#read(mark))
  }

  /** The event as stored, built again. */
  #read({ rowFrom, eventFrom, timestampUs }: Mark): JsonObject {
    const event = new JsonObject()
    event.add('id', idOfRow(this.#rows, rowFrom))
    event.add('timestamp', new NumberText(String(timestampUs)))
    const sent = this.#reader.read(eventFrom)
    if (!(sent instanceof JsonObject)) throw new Error('a row holds no event')
    const message = sent.names.includes('event_message') ? 'message' : 'event_message'
    for (let i = 0; i < sent.size; i++) {
      const name = sent.names[i]!
      if (name !== 'id' && name !== 'timestamp') event.add(name === 'message' ? message : name, sent.values[i]!)
    }
    return event
  }
}

/** A brace and the line's end. */
const ROW_END_BYTES = 2
/** Rules may have put an event's deepest object deeper still; rows are our own, and their depth is no attack. */
const MAX_STORED_DEPTH = 1_000

const nextTurn = (): Promise<void> => new Promise((resume) => setImmediate(resume))
