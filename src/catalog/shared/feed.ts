/**
 * Hears what other nodes changed in the catalog, and tells it to this process as if it had been changed here.
 *
 * Promises: a change is told once its transaction is over, at once by NOTIFY, and within `POLL_MS` by reading the notes of
 * changes when the listening connection is lost or a message with it. After a time without the database everything counts
 * as changed. What this node changed itself is told again, which costs a look-up.
 */
import { sql } from 'kysely'
import { Client } from 'pg'
import { type Change, EVERYTHING } from '../changes.ts'
import type { Database } from '../tables.ts'
import { CHANNEL } from './tables.ts'

export type Feed = { start(): Promise<void> /** Reads the notes now. */; poll(): Promise<void>; stop(): Promise<void> }

type Parts = {
  url: string
  db: Database
  announce(change: Change): void
  onError(error: unknown): void
}

const POLL_MS = 2_000
const LISTEN_AGAIN_MS = 1_000
const CONNECT_TIMEOUT_MS = 5_000

export function createFeed({ url, db, announce, onError }: Parts): Feed {
  let client: Client | null = null
  let isStopped = false
  let timers: NodeJS.Timeout[] = []
  /** Transactions before this one are over, and what they changed was told. */
  let told: string | null = null
  /** Notes of later transactions that were told already. */
  let seen = new Set<string>()
  let isLost = false
  let polling: Promise<void> | null = null

  const tell = (noun: string): void => {
    const change = EVERYTHING.find((one) => one.noun === noun)
    if (change) announce(change)
  }

  async function listen(): Promise<void> {
    const mine = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'millrace changes',
    })
    mine.on('error', onError)
    mine.on('notification', ({ payload = '' }) => tell(payload))
    const ended = new Promise<void>((resolve) => mine.once('end', resolve))
    try {
      await mine.connect()
      await mine.query(`listen ${CHANNEL}`)
    } catch (error) {
      await mine.end().catch(() => {})
      throw error
    }
    if (isStopped) return mine.end()
    client = mine
    void ended.then(() => {
      client = null
      if (!isStopped) later(listenAgain, LISTEN_AGAIN_MS)
    })
  }

  function later(work: () => void, ms: number): void {
    const timer = setTimeout(() => {
      timers = timers.filter((one) => one !== timer)
      work()
    }, ms)
    timer.unref()
    timers.push(timer)
  }

  function listenAgain(): void {
    if (isStopped) return
    // What was said meanwhile was noted, too.
    listen().then(poll, (error: unknown) => {
      onError(error)
      if (!isStopped) later(listenAgain, LISTEN_AGAIN_MS)
    })
  }

  async function read(): Promise<void> {
    const mark = told ?? '0'
    const { rows } = await sql<{ next: string; notes: string[] }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as next,
        array(select distinct xid::text || ' ' || noun from changes where xid >= ${mark}::xid8) as notes`.execute(db)
    const { next, notes } = rows[0]!
    // Before the first look nothing was read from the catalog that could be old.
    const isFirst = told === null
    const fresh = notes.filter((note) => !seen.has(note))
    told = next
    seen = new Set(notes)
    if (isLost) for (const change of EVERYTHING) announce(change)
    else if (!isFirst) for (const noun of new Set(fresh.map((note) => note.split(' ')[1]!))) tell(noun)
    isLost = false
  }

  function poll(): Promise<void> {
    polling ??= read()
      .catch((error: unknown) => {
        if (!isLost && !isStopped) onError(error)
        isLost = true
      })
      .finally(() => {
        polling = null
      })
    return polling
  }

  return {
    async start() {
      await poll()
      listenAgain()
      const timer = setInterval(poll, POLL_MS)
      timer.unref()
      timers.push(timer)
    },
    poll,
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await polling
      await client?.end().catch(() => {})
    },
  }
}
