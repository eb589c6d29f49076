/**
 * A backend as the place of a source's events. What a store does not have yet (no event has come, or none with a field
 * that is known already) is made when a reading finds it missing, and the reading is done again.
 */
import type { Home, Origin, Store } from '../backends/kind.ts'
import type { Clock } from '../base/clock.ts'
import { dialectNamed } from '../lql/lql.ts'
import type { Cursor, QueryCost } from '../warehouse/protocol.ts'
import { readableFault } from './native.ts'
import type { PageRequest, Place, Reading } from './place.ts'

type Parts = { store: Store; home: Home; source: Origin; clock: Clock }

type Row = Record<string, unknown>
type Bounds = { fromUs: number | null; toUs: number | null }

const DAY_US = 86_400_000_000

export function createStorePlace({ store, home, source, clock }: Parts): Place {
  const words = dialectNamed(store.dialect)
  const time = words.column('timestamp')
  const id = words.column('id')

  /** The events between two times, none of them past its retention. */
  function eventsIn({ fromUs, toUs }: Bounds): string {
    const kept = clock.nowMs() * 1000 - source.retentionDays * DAY_US
    const from = fromUs === null ? kept : Math.max(fromUs, kept)
    const until = toUs === null ? '' : ` WHERE ${time} <= ${words.time(String(toUs))}`
    return `(SELECT * FROM ${store.table(source.token, from, true)} AS stored${until}) AS events`
  }

  async function ask(
    text: string,
    values: string[],
    { maxRows, timeoutMs }: { maxRows: number; timeoutMs: number },
    signal: AbortSignal | undefined,
  ): Promise<{ rows: Row[]; cost: QueryCost }> {
    // Values are texts, cast where they stand.
    const types = values.map(() => 'string' as const)
    const statement = { text, values, types, labels: {}, maxRows, timeoutMs }
    try {
      const { json, cost } = await store.query(statement, signal).catch(async (error) => {
        if (!home.isMissing(error)) throw error
        await home.prepare(source)
        return store.query(statement, signal)
      })
      return { rows: JSON.parse(json.toString()), cost }
    } catch (error) {
      throw readableFault(error, (token) => (token === source.token ? source.name : undefined))
    }
  }

  function beyond({ us, id: at }: Cursor, sign: '<' | '>', params: string[], values: string[]): string {
    const instant = words.time(String(us))
    const place = words.placeholder(params.length + values.push(at))
    return `(${time} ${sign} ${instant} OR (${time} = ${instant} AND ${id} ${sign} ${place}))`
  }

  async function search(request: PageRequest, signal?: AbortSignal) {
    const { where, params, before, after, from, limit, timeoutMs } = request
    const bounds = {
      fromUs: after && (request.fromUs === null || after.us > request.fromUs) ? after.us : request.fromUs,
      toUs: before && (request.toUs === null || before.us < request.toUs) ? before.us : request.toUs,
    }
    const values: string[] = []
    const conditions = [
      `(${where})`,
      ...(before ? [beyond(before, '<', params, values)] : []),
      ...(after ? [beyond(after, '>', params, values)] : []),
    ]
    const direction = from === 'newest' ? 'DESC' : 'ASC'
    // Engines cut long names: the columns get short ones here, and theirs back below.
    const own = request.select?.map(({ sql }, i) => `, ${sql} AS c${i}`).join('')
    const columns = own === undefined ? '*' : `${id}, ${time}, ${words.column('event_message')}${own}`
    const text =
      `SELECT ${columns} FROM ${eventsIn(bounds)} WHERE ${conditions.join(' AND ')} ` +
      `ORDER BY ${time} ${direction}, ${id} ${direction} LIMIT ${limit + 1}`
    const { rows, cost } = await ask(text, [...params, ...values], { maxRows: limit + 1, timeoutMs }, signal)
    const page = rows.slice(0, limit).map((row) => (request.select ? renamed(row, request.select) : home.event(row)))
    const last = page.at(-1)
    const hasMore = rows.length > limit && last !== undefined
    const next = hasMore ? { us: Number(last.timestamp), id: String(last.id), seen: 1 } : null
    if ((from === 'newest') !== (request.listed === 'newest first')) page.reverse()
    return {
      body: Buffer.from(JSON.stringify(page)),
      cost: { ...cost, rows: page.length, truncated: hasMore },
      extent: { next, readFromUs: null },
    }
  }

  async function read({ text, params, newestRows, ...request }: Reading, signal?: AbortSignal) {
    const readFromUs = newestRows === null ? null : await startOfNewest(newestRows, request, signal)
    const bounds = { fromUs: readFromUs ?? request.fromUs, toUs: request.toUs }
    const { rows, cost } = await ask(text(eventsIn(bounds)), params, request, signal)
    return { body: Buffer.from(JSON.stringify(rows)), cost, extent: { next: null, readFromUs } }
  }

  /** From when on there are at most so many rows; null when there are no more at all. */
  async function startOfNewest(
    count: number,
    request: Omit<Reading, 'text' | 'params' | 'newestRows'>,
    signal?: AbortSignal,
  ) {
    const text = `SELECT ${time} AS first_time FROM ${eventsIn(request)} ORDER BY ${time} DESC LIMIT 1 OFFSET ${count}`
    const { rows } = await ask(text, [], { maxRows: 1, timeoutMs: request.timeoutMs }, signal)
    return rows[0] ? Number(rows[0].first_time) + 1 : null
  }

  return { dialect: store.dialect, words, values: 'bind', search, read }
}

function renamed({ id, timestamp, event_message, ...columns }: Row, select: NonNullable<PageRequest['select']>): Row {
  const event: Row = { id, timestamp, event_message }
  for (const [i, { name }] of select.entries()) {
    const value = columns[`c${i}`]
    if (isSomething(value)) event[name] = value
  }
  return event
}

/** What carries no value is not stored, so what comes back so was not there. */
function isSomething(value: unknown): boolean {
  if (value === null || value === undefined) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
