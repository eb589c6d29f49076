/**
 * Kysely on the SQLite that is built into Node. One connection, held by one task at a time: SQLite has one writer
 * anyway, and a transaction must not see another task's statements in between.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

const BUSY_TIMEOUT_MS = 5_000
const STATEMENTS_KEPT = 200

export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => createDriver(file),
  }
}

function createDriver(file: string): Driver {
  let database: DatabaseSync | null = null
  let connection: DatabaseConnection | null = null
  let lastHolder: Promise<void> = Promise.resolve()
  let release = (): void => {}

  const run = (sql: string): void => database?.exec(sql)

  return {
    async init() {
      database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
      run('PRAGMA journal_mode = WAL')
      // An answered change of the catalog survives a power cut, as an answered event does.
      run('PRAGMA synchronous = FULL')
      connection = createConnection(database)
    },
    async acquireConnection() {
      const before = lastHolder
      const { promise, resolve } = Promise.withResolvers<void>()
      lastHolder = promise
      await before
      release = resolve
      if (!connection) throw new Error('the catalog is closed')
      return connection
    },
    async releaseConnection() {
      release()
    },
    async beginTransaction() {
      run('BEGIN IMMEDIATE')
    },
    async commitTransaction() {
      run('COMMIT')
    },
    async rollbackTransaction() {
      run('ROLLBACK')
    },
    async destroy() {
      connection = null
      database?.close()
      database = null
    },
  }
}

function createConnection(database: DatabaseSync): DatabaseConnection {
  const statements = new Map<string, StatementSync>()

  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= STATEMENTS_KEPT) statements.clear()
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const statement = prepare(sql)
      const values = parameters.map(inputValue)
      // Kysely fixes the row type by the query it built; the driver only carries rows.
      if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
    streamQuery() {
      throw new Error('the catalog does not stream')
    },
  }
}

function inputValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot store ${typeof value}`)
}
