import { type Dialect, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { Fault } from '../../base/faults.ts'

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 30_000

/** Kysely on PostgreSQL. A connection lost while idle is the pool's business: the next query gets a new one. */
export function postgresDialect(url: string, onIdleError: (error: Error) => void): Dialect {
  return new PostgresDialect({
    pool: async () => {
      const pool = new Pool({
        connectionString: url,
        max: CONNECTIONS_MAX,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        application_name: 'millrace',
      })
      pool.on('error', onIdleError)
      return {
        connect: () => pool.connect().catch(unreachable),
        end: () => pool.end(),
      }
    },
  })
}

function unreachable(error: unknown): never {
  throw new Fault('unavailable', 'The metadata database cannot be reached. Try again shortly.', error)
}
