/**
 * The way from one source to one backend: a durable place in the journal, which moves on only over events that the
 * receiver has taken, or that were put aside as refused. Between two tries nothing of the journal is kept in memory.
 *
 * Where the type allows it several batches are under way at once. The place moves over the front of them; those that
 * were taken out of turn are remembered until it has passed them, so that a failure repeats only what failed.
 *
 * Within a frame the place is only in memory: after a crash the rows of one frame may be sent again.
 */
import type { Clock } from '../../base/clock.ts'
import type { FrameReader } from '../../journal/frame-reader.ts'
import type { Reader } from '../../journal/readers.ts'
import type { Matcher } from '../../lql/lql.ts'
import { eventOfRow, type StoredEvent } from '../../model/event-of-row.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import type { Origin, Place } from '../kind.ts'
import { type Cut, cutBatches, type Mark } from './batches.ts'
import { createPause } from './pause.ts'
import type { Failure } from './settle.ts'
import type { Spares } from './slots.ts'
import type { Target } from './target.ts'

export type LaneParts = {
  target: Target
  reader: Reader
  /** Resolves when the place is on disk. */
  save(): Promise<void>
  frames: FrameReader
  /** What the journal has announced as durable. */
  end(): Position
  /** Asked for every batch, so that a new name is used at once. */
  source(): Origin
  fields(): FlatFields
  /** Of rules; null when every event goes. Asked for every round. */
  matches(): Matcher | null
  clock: Clock
  /** How long events may wait for others to share a request with, unless the backend says otherwise. */
  flushAfterMs: number
  /** Lets only so many lanes hold events at a time. */
  slot<Result>(work: () => Promise<Result>): Promise<Result>
  /** For batches beyond the first. */
  spares: Spares
  onError(error: unknown): void
}

/** A receiver that is away is asked with few events: reading and writing a whole batch for it costs ingest its time. */
const TRIAL_EVENTS = 50

/** A batch under way. `count` events from its front are settled; it is over when all are, or when it failed. */
type Flight = Cut & { count: number }

/** From one place up to another one. */
type Stretch = { from: Place; to: Place }

const INTERNAL: Failure = { kind: 'failed', reason: 'internal error', needsHelp: false, retryAfterMs: null }
const START: Place = { position: -1, row: 0 }
const isBefore = (a: Place, b: Place): boolean =>
  a.position < b.position || (a.position === b.position && a.row < b.row)

export type Lane = ReturnType<typeof createLane>

export function createLane(parts: LaneParts) {
  const { target, reader, frames, end, clock, flushAfterMs } = parts
  /** Where the newest frame of the source begins. At first unknown, so everything up to the end may hold one. */
  let newest = end() - 1
  /** Rows at the front of one frame that are done with. */
  let done = START
  /** Done with as well, behind something that is not. */
  let ahead: Stretch[] = []
  let waiting = 0
  /** What came since the last round began. */
  let gathered = { events: 0, bytes: 0 }
  let dueAtMs = 0
  let isGathering = false
  let caughtUpAtMs = clock.nowMs()
  let stopped = false
  const pause = createPause()
  let current: Promise<void> = Promise.resolve()
  let holding: Promise<void> = Promise.resolve()

  const hasWork = (): boolean => newest >= reader.position
  const afterMs = (): number => target.batch.afterMs ?? flushAfterMs
  const isBatchFull = (): boolean => gathered.events >= target.batch.events || gathered.bytes >= target.batch.bytes

  async function run(): Promise<void> {
    while (!stopped) {
      if (!hasWork()) {
        await pause.until()
        continue
      }
      // Events that come together leave together.
      const waitMs = isBatchFull() ? 0 : dueAtMs - clock.nowMs()
      if (waitMs > 0) {
        isGathering = true
        await pause.for(waitMs)
        isGathering = false
        continue
      }
      await holding
      if (!target.circuit.enter()) {
        await pause.for(target.circuit.waitMs())
        continue
      }
      try {
        current = parts.slot(round)
        await current
      } finally {
        target.circuit.leave()
      }
    }
  }

  /** A stretch of the journal, until it is through or the receiver fails. */
  async function round(): Promise<void> {
    gathered = { events: 0, bytes: 0 }
    const flights: Flight[] = []
    const air = new Set<Promise<void>>()
    const result: { failure: Failure | null } = { failure: null }
    const isTrial = target.circuit.state !== 'ok' && !target.batch.wholeFrames
    let isSpareHeld = false
    let passed = 0

    function moveTo(mark: Mark): void {
      waiting -= mark.passed - passed
      passed = mark.passed
      done = { position: mark.position, row: mark.row }
      reader.advance(mark.position)
      ahead = ahead.filter(({ to }) => isBefore(done, to))
    }

    /** Moves over what is settled at the front. */
    function moveOn(): void {
      while (flights[0] && flights[0].count === flights[0].events.length) moveTo(flights.shift()!.after)
    }

    async function send(flight: Flight): Promise<void> {
      try {
        const settled = await target.deliver(flight.events, parts.source(), (index) => flight.marks[index]!)
        flight.count = settled.count
        result.failure ??= settled.failure
        if (settled.failure === null) target.circuit.worked()
        moveOn()
        if (target.batch.wholeFrames) await parts.save()
      } catch (error) {
        parts.onError(error)
        result.failure ??= INTERNAL
      }
    }

    function hasRoom(): boolean {
      if (air.size === 0) return true
      // After a failure one tries alone.
      const most = target.circuit.state === 'ok' ? (target.batch.inFlight ?? 1) : 1
      isSpareHeld ||= air.size < most && parts.spares.take()
      return isSpareHeld
    }

    function launch(flight: Flight): void {
      const isSpare = isSpareHeld
      isSpareHeld = false
      const going = send(flight).finally(() => {
        air.delete(going)
        if (isSpare) parts.spares.give()
      })
      air.add(going)
    }

    try {
      const batches = cutBatches({
        frames,
        token: parts.source().token,
        from: done.position === reader.position ? done : { position: reader.position, row: 0 },
        to: end(),
        limits: isTrial ? { ...target.batch, events: Math.min(target.batch.events, TRIAL_EVENTS) } : target.batch,
        matches: parts.matches(),
        isDone: (place) => ahead.some(({ from, to }) => !isBefore(place, from) && isBefore(place, to)),
        read,
      })
      for await (const cut of batches) {
        if (stopped || result.failure) break
        const flight = { ...cut, count: 0 }
        flights.push(flight)
        if (cut.events.length > 0) launch(flight)
        else moveOn()
        while (!hasRoom()) await Promise.race(air)
        if (isTrial && cut.events.length > 0) break
      }
    } catch (error) {
      parts.onError(error)
      result.failure ??= INTERNAL
    }
    await Promise.all(air)
    if (isSpareHeld) parts.spares.give()

    const [first, ...others] = flights
    if (first && first.count > 0) moveTo(first.marks[first.count]!)
    for (const { count, marks, after } of others)
      if (count > 0) ahead.push({ from: marks[0]!, to: marks[count] ?? after })
    if (result.failure) target.broke(result.failure)
    else {
      dueAtMs = isTrial ? 0 : clock.nowMs() + afterMs()
      if (!hasWork()) caughtUpAtMs = clock.nowMs()
    }
  }

  /** A row that cannot be read is told to the operator and keeps no other from being sent. */
  function read(line: string): StoredEvent | null {
    try {
      return eventOfRow(line, parts.fields)
    } catch (error) {
      parts.onError(error)
      return null
    }
  }

  const running = run()

  return {
    get position() {
      return reader.position
    },
    get lag() {
      const isBehind = hasWork()
      return {
        events: isBehind ? Math.max(waiting, 0) : 0,
        seconds: isBehind ? Math.max(Math.round((clock.nowMs() - caughtUpAtMs) / 1000), 0) : 0,
      }
    },
    /** A frame of the source that came just now. */
    notice(position: Position, count: number, bytes: number): void {
      const isFirst = !hasWork()
      if (isFirst) {
        caughtUpAtMs = clock.nowMs()
        dueAtMs = caughtUpAtMs + afterMs()
        waiting = 0
        // Everything before it is of other sources.
        reader.advance(position)
      }
      waiting += count
      gathered.events += count
      gathered.bytes += bytes
      newest = Math.max(newest, position)
      if (isFirst || (isGathering && isBatchFull())) pause.end()
    },
    /** Frames of before that wait to be read. */
    expect(count: number): void {
      waiting += count
    },
    /** A lane with nothing to do holds nothing back. */
    rest(): void {
      if (!hasWork()) reader.advance(end())
    },
    /** Keeps anything from being sent meanwhile. */
    async still(work: () => Promise<void>): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      holding = promise
      await current
      await work().finally(resolve)
    },
    /** Gives up what is before the position; `count` events of it were not sent. */
    giveUp(position: Position, count: number): void {
      reader.advance(position)
      waiting -= count
    },
    /** Tries at once what it waits for. */
    wake(): void {
      dueAtMs = 0
      pause.end()
    },
    /** Resolves when nothing is under way; what was not settled is sent again by the next who reads from there. */
    async stop(): Promise<void> {
      stopped = true
      pause.end()
      await running
    },
  }
}
