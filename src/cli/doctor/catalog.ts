/** The catalog, in SQLite or PostgreSQL, and whether it belongs to the data folder. Only read, also while the service runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Settings } from '../../settings.ts'
import { readManifest, storedSources } from '../../warehouse/manifest.ts'
import { type Check, ok, problem, skipped, warning } from './check.ts'

type Place = Pick<Settings, 'databaseUrl' | 'dataDir'>

const fileOf = (dataDir: string): string => join(dataDir, 'catalog.sqlite')

export const catalogCheck: Check = {
  name: 'catalog',
  async run({ settings: { databaseUrl, dataDir } }) {
    if (databaseUrl) return [await askPostgres(databaseUrl)]
    const file = fileOf(dataDir)
    if (!existsSync(file)) return [skipped('It is made at the first start')]
    const advice = 'Stop the service and restore the file from a backup.'
    try {
      const [found] = askSqlite(file, 'PRAGMA quick_check')
      return [found === 'ok' ? ok(file) : problem(`${file} is damaged: ${found}`, advice)]
    } catch (error) {
      return [problem(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, advice)]
    }
  },
}

/** After a restore the two can be of different days, or of different services. */
export const belongingCheck: Check = {
  name: 'sources',
  async run({ settings }) {
    const dir = join(settings.dataDir, 'warehouse')
    const known = await sourceTokens(settings).catch(() => null)
    if (known === null) return [skipped('There is no catalog to compare with')]
    const stored = existsSync(dir) ? storedSources(dir).filter((token) => !readManifest(join(dir, token))?.deleted) : []
    const strange = stored.filter((token) => !known.includes(token))
    if (strange.length === 0) return [ok(`${known.length} in the catalog`)]
    const place = settings.databaseUrl
      ? 'DATABASE_URL may name another database, or its dump is older'
      : 'It may be older'
    return [
      warning(
        `The data folder has events of ${strange.length} sources that the catalog does not know: ${strange.slice(0, 3).join(', ')}.`,
        `${place} than the data. Restore the catalog that belongs to it; nothing is deleted meanwhile.`,
      ),
    ]
  },
}

/** Null when there is no catalog yet. */
export async function sourceTokens({ databaseUrl, dataDir }: Place): Promise<string[] | null> {
  const sql = 'select token from sources'
  if (!databaseUrl) return existsSync(fileOf(dataDir)) ? askSqlite(fileOf(dataDir), sql) : null
  return withPostgres(databaseUrl, async (ask) => ((await hasTables(ask)) ? ask(sql) : null))
}

/** The first column of what a statement gives. */
type Ask = (sql: string) => Promise<string[]>

const hasTables = async (ask: Ask): Promise<boolean> =>
  (await ask("select to_regclass('sources') is not null"))[0] === 'true'

async function askPostgres(url: string) {
  const { host } = new URL(url)
  try {
    return await withPostgres(url, async (ask) =>
      (await hasTables(ask))
        ? ok(`The database at ${host} answers, and has ${(await ask('select count(*) from accounts'))[0]} accounts`)
        : skipped(`The database at ${host} answers; its tables are made at the first start`),
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return problem(`The database at ${host} does not answer: ${reason}`, 'Start it, or correct DATABASE_URL.')
  }
}

async function withPostgres<Result>(url: string, use: (ask: Ask) => Promise<Result>): Promise<Result> {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    return await use(async (text) =>
      (await client.query({ text, rowMode: 'array' })).rows.map(([first]) => String(first)),
    )
  } finally {
    await client.end().catch(() => {})
  }
}

function askSqlite(file: string, sql: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]))
  } finally {
    database.close()
  }
}
