/**
 * One query, the same rows on every engine. The service takes the events and delivers them to the engines; each query of
 * `dialects/queries.json` then runs embedded, through the service, and on each engine as `src/sql` writes it for that.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindOf, settleConfig } from '../src/backends/backends.ts'
import type { Store } from '../src/backends/kind.ts'
import type { FlatFields } from '../src/model/fields.ts'
import { textOf } from '../src/query/bound-text.ts'
import { createSql, type Engine, withTables } from '../src/sql/sql.ts'
import { EVENTS } from './dialects/events.ts'
import { hasClickhouse, STARTING_MS, startClickhouse } from './support/clickhouse.ts'
import { json, post, type Row, store as send } from './support/dialogue.ts'
import { hasPostgres, startPostgres } from './support/postgres.ts'
import { type Service, startService, until } from './support/service.ts'

type Asked = {
  area: string
  name: string
  sql: string
  parameters?: Record<string, unknown>
  empty?: boolean
  /** Engines that do not run it, with their words for that. */
  not_on?: { [engine in Outside]?: string }
  /** Engines that are known to give something else, with the reason. */
  differs_on?: { [engine in Outside]?: string }
}

const QUERIES: Asked[] = JSON.parse(readFileSync(join(import.meta.dirname, 'dialects/queries.json'), 'utf8'))
const TOTAL = Object.values(EVENTS).reduce((sum, events) => sum + events.length, 0)

/** Where an engine runs here, as a backend is told it. */
type Running = { config: Record<string, unknown>; stop(): Promise<void> }
type Outside = Exclude<Engine, 'duckdb'>

const ENGINES: { engine: Outside; isHere: boolean; start(): Promise<Running> }[] = [
  {
    engine: 'postgres',
    isHere: hasPostgres(),
    async start() {
      const server = await startPostgres()
      const url = await databaseOfWords(await server.createDatabase())
      return { config: { url, schema: 'logs' }, stop: server.stop }
    },
  },
  {
    engine: 'clickhouse',
    isHere: hasClickhouse(),
    async start() {
      const server = await startClickhouse()
      const database = `dialects_${process.pid}`
      await server.ask(`CREATE DATABASE ${database}`)
      return { config: { url: server.url, database }, stop: server.stop }
    },
  },
]

let service: Service
const tokens = new Map<string, string>()
const fields = new Map<string, FlatFields>()
const stores = new Map<Outside, Store>()
const closing: (() => unknown)[] = []

beforeAll(async () => {
  service = await startService({ readyWithinMs: 60_000 })
  for (const name of Object.keys(EVENTS)) {
    const { token } = await json(await post(service, '/api/sources', { name, retention_days: 3650 }))
    tokens.set(name, token)
  }
  const backends: string[] = []
  for (const { engine, isHere, start } of ENGINES) if (isHere) backends.push(await connect(engine, await start()))
  for (const [name, events] of Object.entries(EVENTS)) await send(service, name, events)
  for (const token of tokens.values()) fields.set(token, await fieldsOf(token))
  for (const backend of backends)
    await until(async () => (await json(await service.fetch(`/api/backends/${backend}/status`))).delivered === TOTAL)
}, 240_000 + STARTING_MS)
afterAll(async () => {
  for (const close of closing) await close()
  await service?.remove()
})

/** Has the service deliver there, and opens a way of our own to ask. */
async function connect(engine: Outside, { config, stop }: Running): Promise<string> {
  closing.unshift(stop)
  const backend = await json(await post(service, '/api/backends', { name: engine, type: engine, config }))
  for (const token of tokens.values()) await post(service, `/api/sources/${token}/backends/${backend.token}`, {})
  const receiver = kindOf(engine).connect(settleConfig(engine, config), { timeoutMs: 60_000 })
  closing.unshift(receiver.stop)
  stores.set(engine, receiver.store!)
  return backend.token
}

describe.each(ENGINES)('$engine', ({ engine, isHere }) => {
  const sql = createSql()

  async function onEngine({ sql: text, parameters = {} }: Asked): Promise<Row[]> {
    const prepared = sql.prepare({
      ...{ sql: text, dialect: engine, parameters, requireTimestamp: true, nowUs: Date.now() * 1000 },
      resolve: (name) => tokens.get(name),
      fields: (token) => fields.get(token) ?? {},
    })
    const store = stores.get(engine)!
    const statement = withTables(prepared, ({ token }) => store.table(token, 0, true))
    const values = prepared.parameters.map(({ name }) => textOf(parameters[name]))
    const { json: rows } = await store
      .query({ text: statement, values, labels: {}, maxRows: 1000, timeoutMs: 30_000 })
      .catch((error) => {
        throw new Error(`${error.message}\n${statement}`)
      })
    return JSON.parse(rows.toString())
  }

  test.skipIf(!isHere).each(QUERIES)(
    '$area: $name',
    async (asked) => {
      const answer = await post(service, '/api/query', { sql: asked.sql, parameters: asked.parameters ?? {} })
      const { result, error } = await json(answer)
      expect(error).toBeUndefined()
      expect(result.length > 0).toBe(asked.empty !== true)
      const reason = asked.not_on?.[engine]
      if (reason !== undefined) await expect(onEngine(asked)).rejects.toThrow(reason)
      else if (asked.differs_on?.[engine]) expect(alike(await onEngine(asked))).not.toEqual(alike(result))
      else expect(alike(await onEngine(asked))).toEqual(alike(result))
    },
    60_000,
  )
})

/** One that orders texts as people do, which must not show. */
async function databaseOfWords(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("create database words template template0 locale_provider icu icu_locale 'en-US'")
  await client.end()
  const at = new URL(url)
  at.pathname = '/words'
  return at.href
}

/** The order in which floats are added is the engine's own, so their last digits are. */
function alike(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(alike)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, alike(inner)]))
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value
}

/** What the schema says, as the translation is told it. */
async function fieldsOf(token: string): Promise<FlatFields> {
  const flat: Record<string, FlatFields[string]> = {}
  const add = (properties: Row, path: string): void => {
    for (const [key, field] of Object.entries<Row>(properties)) {
      if (path === '' && ['id', 'timestamp', 'event_message'].includes(key)) continue
      const item = field.type === 'array' ? field.items : field
      const type = item.type === 'number' ? 'float' : item.type
      flat[`${path}${key}`] = field.type === 'array' ? (`${type}[]` as FlatFields[string]) : type
      if (type === 'object') add(item.properties, `${path}${key}.`)
    }
  }
  const schema = await json(await service.fetch(`/api/sources/${token}/schema`))
  add(schema.properties, '')
  return flat
}
