import { Fault } from '../../base/faults.ts'
import type { Batch, Batches } from '../batch.ts'
import { JsonReader, NameCache } from '../json/read.ts'
import { JsonObject, NumberText } from '../json/value.ts'
import { MAX_COPIED_BYTES } from '../limits.ts'
import { idOfRow } from '../scan/rows.ts'
import { Scan } from '../scan/scan.ts'
import { Turns } from '../turns.ts'
import type { Mark } from './copies.ts'
import { NO_ROUTES } from './routing.ts'

export type Router = {
  /** Makes the copies of a request: a batch for each target that gets any. They join `batches` as they are opened. */
  fanOut(batch: Batch, batches: Batch[]): Promise<void>
}

export function createRouter({ batches: { open } }: { batches: Batches }): Router {
  const names = new NameCache()

  return {
    async fanOut(from, batches) {
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
        const batch = await open(source, NO_ROUTES, from.nowUs / 1000, sizes[target]!)
        batches.push(batch)
        const copier = new Copier(from.rows.body, batch, names)
        const turns = new Turns(batch.sieve !== null)
        let done = 0
        for (const mark of copies.of(target)) {
          copier.copy(mark)
          done += mark.rowTo - mark.rowFrom
          if (turns.isDue(done)) await turns.rest(done)
        }
      }
    },
  }
}

/** Copies rows of one source into the batch of another. A row that fits there as it is stays the bytes it is. */
class Copier {
  readonly #rows: Buffer
  readonly #batch: Batch
  readonly #scan: Scan
  readonly #reader: JsonReader

  constructor(rows: Buffer, batch: Batch, names: NameCache) {
    this.#rows = rows
    this.#batch = batch
    this.#scan = new Scan(rows, batch.fields, batch.nowUs, batch.oldestUs, batch.pipeline.unread)
    this.#reader = new JsonReader(rows, MAX_STORED_DEPTH, names)
  }

  copy(mark: Mark): void {
    const batch = this.#batch
    if (mark.timestampUs < batch.oldestUs) batch.droppedCount++
    else if (this.#scan.event(mark.eventFrom) === mark.rowTo - ROW_END_BYTES)
      batch.takeRow(this.#rows, mark.rowFrom, mark.rowTo, this.#scan, mark.timestampUs)
    else batch.take(this.#read(mark))
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
