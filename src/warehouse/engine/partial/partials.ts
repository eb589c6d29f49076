/**
 * What queries that are asked again gave for each part on its own. Parts never change, so only new parts and rows that
 * are not in whole parts have to be read; the answer is put together from all results. They are kept in tables of the
 * readers' instance, which only our own statements can name.
 *
 * Promises: the answer that reading everything would give, for the parts and rows there are when the query begins.
 * Bounded in bytes; what was used least recently goes first. Refuses (null) what is asked for the first time, and what
 * gives too many rows to be worth keeping.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { Fault } from '../../../base/faults.ts'
import type { Part } from '../../manifest.ts'
import type { PartialCounts, QueryRequest } from '../../protocol.ts'
import { bindValues } from '../bind.ts'
import { emptyRelation } from '../columns.ts'
import type { Readers } from '../duck.ts'
import { createLatest } from '../latest.ts'
import type { Steps } from '../plan.ts'
import { bytesOf, type Look, readingOf, relationOf, type TimeBounds } from '../relation.ts'
import type { SourceStore } from '../store.ts'
import { MERGED, PARTIALS } from './split.ts'
import { createPartialTable, type PartialTable, type Step } from './table.ts'

export type Asked = {
  source: SourceStore
  text: string
  steps(): Promise<Steps | null>
  bounds: TimeBounds
  parameters: QueryRequest['parameters']
  /** Asked only when there are parts to read. */
  look(): Promise<Look | null>
  nowMs: number
}

/** The relations that the last step of a query reads, and the size of the files that are opened for them. */
export type Merged = { relations: string[]; bytesScanned: number }

export type Partials = {
  /** Null when the query is to be answered without. */
  use<T>(
    connection: DuckDBConnection,
    asked: Asked,
    work: (reduce: string, merged: Merged) => Promise<T>,
  ): Promise<T | null>
  readonly counts: PartialCounts
}

type Kept = {
  table: PartialTable
  /** Queries that may still read the table. */
  active: number
  /** One at a time changes the table. */
  turn: Promise<unknown>
}

const KEPT_BYTES = 32 * 1024 * 1024

/** One query may take this share of it. */
const MOST_SHARE = 1 / 4

/** Smaller parts are read as quickly as what is kept of them, and are merged soon. */
const LEAST_PART_BYTES = 1024 * 1024

/** Texts that were asked once, or that are not worth keeping. */
const SEEN_CHARACTERS = 2_000_000

export function createPartials({
  readers,
  keptBytes = KEPT_BYTES,
  leastPartBytes = LEAST_PART_BYTES,
}: {
  readers: Readers
  keptBytes?: number
  leastPartBytes?: number
}): Partials {
  const all = new Map<string, Kept>()
  const seen = createLatest<'once' | 'never'>(SEEN_CHARACTERS)
  let tables = 0
  let answers = 0
  let failures = 0

  const heldBytes = (): number => all.values().reduce((sum, { table }) => sum + table.bytes, 0)

  function keptFor(key: string): Kept {
    const kept = all.get(key) ?? {
      table: createPartialTable(`partial_${tables++}`),
      active: 0,
      turn: Promise.resolve(),
    }
    all.delete(key)
    all.set(key, kept)
    return kept
  }

  /** Frees `never`, and what was used least recently, as far as nobody reads it. */
  async function trim(never: string | null): Promise<void> {
    const free: Kept[] = []
    const release = (key: string, kept: Kept | undefined): void => {
      if (!kept || kept.active > 0) return
      all.delete(key)
      free.push(kept)
    }
    if (never !== null) release(never, all.get(never))
    for (const [key, kept] of [...all]) if (heldBytes() > keptBytes) release(key, kept)
    if (free.length === 0) return
    // A connection of its own: that of the query may be under interruption.
    const connection = await readers.connect()
    try {
      for (const { table } of free) await table.drop(connection)
    } finally {
      connection.closeSync()
    }
  }

  async function use<T>(
    connection: DuckDBConnection,
    asked: Asked,
    work: (reduce: string, merged: Merged) => Promise<T>,
  ): Promise<T | null> {
    const { source, text, bounds, nowMs, parameters } = asked
    const question = JSON.stringify([source.token, text, parameters])
    const before = seen.get(question)
    if (before === undefined) seen.set(question, 'once', question.length)
    if (before !== 'once') return null
    const steps = await asked.steps()
    if (!steps) {
      seen.set(question, 'never', question.length)
      return null
    }
    // From here to the first wait nothing may come between: what is kept, what is read and the columns belong together.
    const { shape } = source
    const key = JSON.stringify([source.token, shape, steps.map, parameters])
    const kept = keptFor(key)
    const { fromUs, toUs, parts, fresh } = readingOf(source, bounds, nowMs)
    const whole = parts.filter((part) => part.bytes >= leastPartBytes && part.minUs >= fromUs && part.maxUs <= toUs)
    const rest = only(source, parts.filter((part) => !whole.includes(part)), fresh) // biome-ignore format: one thought
    let isWorthIt = false
    kept.active += 1
    try {
      const turn = kept.turn.then(() => addMissing(connection, kept, { ...asked, steps }, shape, whole))
      kept.turn = turn.catch(() => {})
      const bytesRead = await turn
      isWorthIt = bytesRead !== null
      const look = rest.manifest.parts.length > 0 ? await asked.look() : null
      // With other columns the rows of the table and those read now would not fit together.
      if (bytesRead === null || source.shape !== shape) return null
      const live = readingOf(rest, bounds, nowMs, look)
      const merged = { relations: relationsOf(kept, steps, whole, rest, live), bytesScanned: bytesRead + bytesOf(live) }
      const answer = await work(steps.reduce, merged)
      answers += 1
      return answer
    } catch (error) {
      isWorthIt = error instanceof Fault || /interrupt/i.test(String(error))
      if (isWorthIt) throw error
      // What went wrong is for the plain query to say, if it goes wrong there too.
      failures += 1
      return null
    } finally {
      kept.active -= 1
      if (!isWorthIt) seen.set(question, 'never', question.length)
      await trim(isWorthIt ? null : key)
    }
  }

  /** The size of the parts that were read; null when they give too much to keep. */
  async function addMissing(
    connection: DuckDBConnection,
    kept: Kept,
    { source, steps, bounds, parameters, nowMs, ...asked }: Omit<Asked, 'steps'> & { steps: Steps },
    shape: string,
    whole: Part[],
  ): Promise<number | null> {
    const stepOver = (relation: string): Step => ({
      text: `WITH ${steps.table} AS NOT MATERIALIZED (${relation}) ${steps.map}`,
      ...bindValues({ text: steps.map, parameters }),
    })
    let bytesRead = 0
    const missing = whole.filter((part) => !kept.table.has(part))
    const look = missing.length > 0 ? await asked.look() : null
    if (source.shape === shape) await kept.table.open(connection, stepOver(emptyRelation(source.fields)))
    for (const part of missing) {
      if (source.shape !== shape) break
      const one = only(source, [part], [])
      const reading = readingOf(one, bounds, nowMs, look)
      const step = reading.parts.length > 0 ? stepOver(relationOf(one, reading)) : null
      const isFew = await kept.table.add(connection, part, step)
      if (!isFew || kept.table.bytes > MOST_SHARE * keptBytes) return null
      bytesRead += bytesOf(reading)
    }
    // Another reader may be on its way with the parts of an earlier manifest.
    if (missing.length > 0 && kept.active === 1)
      await kept.table.keepOnly(connection, [...whole, ...source.manifest.parts])
    return bytesRead
  }

  return {
    use,
    get counts() {
      return { queries: all.size, bytes: heldBytes(), answers, failures }
    },
  }
}

const only = (source: SourceStore, parts: Part[], fresh: SourceStore['fresh']): SourceStore => ({
  ...source,
  manifest: { ...source.manifest, parts },
  fresh,
})

type Reading = ReturnType<typeof readingOf>

function relationsOf({ table }: Kept, steps: Steps, whole: Part[], rest: SourceStore, live: Reading): string[] {
  const isAnyLive = live.parts.length + live.fresh.length > 0
  const partials = isAnyLive ? `${table.select(whole)} UNION ALL (${steps.map})` : table.select(whole)
  return [
    ...(isAnyLive ? [`${steps.table} AS NOT MATERIALIZED (${relationOf(rest, live)})`] : []),
    `${PARTIALS} AS NOT MATERIALIZED (${partials})`,
    `${MERGED} AS NOT MATERIALIZED (${steps.merge})`,
  ]
}
