/** Runs one statement in a read-only transaction with a time-out, through a cursor: it takes nothing but a SELECT. */
import type { Client, FieldDef } from 'pg'
import { Fault } from '../../base/faults.ts'
import { needsRoutines, ROUTINES } from '../../sql/dialects/postgres/routines.ts'
import type { Statement, Store } from '../kind.ts'
import { tableName } from '../table-name.ts'
import { isoMicroseconds } from '../time.ts'
import type { Connections } from './connections.ts'
import { codeOf } from './insert.ts'
import { qualified } from './tables.ts'
import { createReaders, typeName } from './values.ts'

export function createStore({ connections, schema }: { connections: Connections; schema: string }): Store {
  return {
    dialect: 'postgres',
    table: (token, keptFromUs) =>
      `(SELECT * FROM ${qualified(schema, tableName(token))} WHERE "timestamp" >= timestamptz '${isoMicroseconds(keptFromUs)}')`,
    place: (number) => `$${number}`,
    async query(statement, signal) {
      const startedAt = performance.now()
      try {
        const { rows, fields } = await connections.use((client) => run(client, statement, signal))
        const kept = rows.slice(0, statement.maxRows)
        return {
          json: Buffer.from(JSON.stringify(kept)),
          cost: {
            rows: kept.length,
            ms: Math.round(performance.now() - startedAt),
            truncated: rows.length > kept.length,
            bytesScanned: 0,
            columns: fields.map(({ name, dataTypeID }) => ({ name, type: typeName(dataTypeID) })),
          },
        }
      } catch (error) {
        throw faultOf(error, statement.timeoutMs)
      }
    },
  }
}

type Found = { rows: Record<string, unknown>[]; fields: FieldDef[] }

async function run(client: Client, statement: Statement, signal: AbortSignal | undefined): Promise<Found> {
  const { text, values, labels, maxRows, timeoutMs } = statement
  signal?.throwIfAborted()
  // An active connection that is ended is cut; the statement then ends by its time-out at the latest.
  const onAbort = (): void => void client.end().catch(() => {})
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    if (needsRoutines(text)) await makeRoutines(client)
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL lock_timeout = 1000`)
    await client.query({ text: `${comment(labels)}DECLARE answer NO SCROLL CURSOR FOR ${text}`, values })
    const { rows, fields } = await client.query<Record<string, unknown>>({
      text: `FETCH FORWARD ${maxRows + 1} FROM answer`,
      types: createReaders(),
    })
    await client.query('ROLLBACK')
    return { rows, fields }
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

const haveRoutines = new WeakSet<Client>()

/** They live as long as the session does. */
async function makeRoutines(client: Client): Promise<void> {
  if (haveRoutines.has(client)) return
  await client.query(ROUTINES.join(';\n'))
  haveRoutines.add(client)
}

/** Nothing in it can end the comment. */
function comment(labels: Statement['labels']): string {
  if (Object.keys(labels).length === 0) return ''
  return `/* ${JSON.stringify(labels)
    .replace(/[*/\\]/g, '_')
    .replace(/[^\x20-\x7e]/g, '_')} */ `
}

const UNREACHABLE = /^(?:08|57P|53|E[A-Z]+$)/

export function faultOf(error: unknown, timeoutMs: number): Fault {
  const code = codeOf(error) ?? ''
  const message = error instanceof Error ? error.message : String(error)
  if (code === '57014')
    return new Fault('bad_request', `the query took longer than ${timeoutMs / 1000} s; narrow its time range`)
  if (code === '' || UNREACHABLE.test(code))
    return new Fault('unavailable', 'The backend cannot be reached. Test its connection.', message)
  const position = error instanceof Error && 'position' in error ? Number(error.position) : Number.NaN
  return new Fault('query_failed', message, { code, position })
}
