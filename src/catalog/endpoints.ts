import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { InvalidRecord } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import {
  Definition,
  ENDPOINT_DEFAULTS,
  type Endpoint,
  type EndpointChanges,
  EndpointSettings,
  type EndpointSnapshot,
  type EndpointVersion,
  type NewEndpoint,
  type QueryFacts,
} from '../model/endpoint.ts'
import type { Changes } from './changes.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Engine } from './migrations.ts'
import type { Database, Tables } from './tables.ts'

export type Endpoints = ReturnType<typeof createEndpoints>

type Parts = { db: Database; engine: Engine; clock: Clock; changes: Changes }

type Row = Selectable<Tables['endpoints']>
type VersionRow = Selectable<Tables['endpoint_versions']>

/** Looks at a query before it is saved; throws an `InvalidRecord` when it cannot be. */
/** It may also settle the language, where the backend decides it. */
type Checked = QueryFacts & Partial<Pick<EndpointSettings, 'language'>>

export type CheckQuery = (settings: EndpointSettings, before: Endpoint | null) => Checked | Promise<Checked>

/** Endpoints by account, and every definition they ever had. A name is unique within its account. */
export function createEndpoints({ db, engine, clock, changes }: Parts) {
  const now = (): string => new Date(clock.nowMs()).toISOString()

  const endpoints = {
    async list(accountId: number): Promise<Endpoint[]> {
      const rows = await db.selectFrom('endpoints').selectAll().where('account_id', '=', accountId).execute()
      return rows.map(fromRow).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },

    /** Of any account: who may see it is for the caller to say. */
    async byToken(token: string): Promise<Endpoint | null> {
      const row = await db
        .selectFrom('endpoints')
        .selectAll()
        .where('token', '=', token.toLowerCase())
        .executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async byName(accountId: number, name: string): Promise<Endpoint | null> {
      const row = await db
        .selectFrom('endpoints')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('name', '=', name)
        .executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async create(
      accountId: number,
      author: string,
      { token = uuid4(), ...chosen }: NewEndpoint,
      check: CheckQuery,
    ): Promise<Endpoint> {
      const settings = EndpointSettings.parse({ ...ENDPOINT_DEFAULTS, ...given(chosen) })
      const definition = { ...settings, ...(await check(settings, null)) }
      const at = now()
      const row = await takenNamed(() =>
        db.transaction().execute(async (step) => {
          const made = await step
            .insertInto('endpoints')
            .values({
              account_id: accountId,
              token,
              ...toColumns(definition),
              version: 1,
              inserted_at: at,
              updated_at: at,
            })
            .returningAll()
            .executeTakeFirstOrThrow()
          await keep(step, made, author, [])
          return made
        }),
      )
      changes.announce({ noun: 'endpoint' })
      return fromRow(row)
    },

    /** A change that changes nothing makes no version. */
    async update(
      accountId: number,
      token: string,
      author: string,
      { token: sentToken, ...sent }: EndpointChanges,
      check: CheckQuery,
    ): Promise<Endpoint | null> {
      if (sentToken !== undefined && sentToken !== token.toLowerCase()) {
        throw new InvalidRecord({ token: ['cannot be changed'] })
      }
      for (;;) {
        const stored = await endpoints.byToken(token)
        if (!stored || stored.account_id !== accountId) return null
        const settings = EndpointSettings.parse({ ...settingsOf(stored), ...given(sent) })
        const definition = { ...settings, ...(await check(settings, stored)) }
        const written = await write(stored, definition, author)
        if (written) return written
        // Somebody else changed it meanwhile: their change stays, ours is made on top of it.
      }
    },

    async remove(accountId: number, token: string): Promise<Endpoint | null> {
      const row = await db
        .deleteFrom('endpoints')
        .where('account_id', '=', accountId)
        .where('token', '=', token.toLowerCase())
        .returningAll()
        .executeTakeFirst()
      changes.announce({ noun: 'endpoint' })
      return row ? fromRow(row) : null
    },

    /** Newest first. */
    async versions(endpointId: number): Promise<EndpointVersion[]> {
      const rows = await db
        .selectFrom('endpoint_versions')
        .select(['version', 'at', 'author', 'changes'])
        .where('endpoint_id', '=', endpointId)
        .orderBy('version', 'desc')
        .execute()
      return rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }))
    },

    async version(endpointId: number, version: number): Promise<EndpointSnapshot | null> {
      const row = await db
        .selectFrom('endpoint_versions')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .where('version', '=', version)
        .executeTakeFirst()
      return row ? snapshotOf(row) : null
    },
  }

  /** Writes the next version if `stored` is still the newest; null when it is not. */
  async function write(stored: Endpoint, definition: Definition, author: string): Promise<Endpoint | null> {
    const changed = differences(stored, definition)
    if (changed.length === 0) return stored
    const row = await takenNamed(() =>
      db.transaction().execute(async (step) => {
        const query = step.selectFrom('endpoints').select('version').where('id', '=', stored.id)
        const newest = await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
        if (newest?.version !== stored.version) return null
        const next = await step
          .updateTable('endpoints')
          .set({ ...toColumns(definition), version: stored.version + 1, updated_at: now() })
          .where('id', '=', stored.id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await keep(step, next, author, changed)
        return next
      }),
    )
    if (!row) return null
    changes.announce({ noun: 'endpoint' })
    return fromRow(row)
  }

  async function keep(step: Database, row: Row, author: string, changed: string[]): Promise<void> {
    await step
      .insertInto('endpoint_versions')
      .values({
        endpoint_id: row.id,
        version: row.version,
        at: row.updated_at,
        author,
        changes: JSON.stringify(changed),
        definition: JSON.stringify({ name: row.name, ...JSON.parse(row.definition) }),
      })
      .execute()
  }

  return endpoints
}

/** What a query's mapping and parameters became is no change a person made. */
function differences(stored: Endpoint, definition: Definition): string[] {
  const before: Record<string, unknown> = settingsOf(stored)
  const changed = Object.entries(settingsOf(definition)).filter(([field, value]) => before[field] !== value)
  return changed.map(([field]) => field)
}

function settingsOf(definition: Definition): EndpointSettings {
  const fields: Record<string, unknown> = { ...definition }
  const names = Object.keys(EndpointSettings.shape)
  return EndpointSettings.parse(Object.fromEntries(names.map((name) => [name, fields[name]])))
}

function toColumns({ name, ...definition }: Definition): Pick<Row, 'name' | 'definition'> {
  return { name, definition: JSON.stringify(definition) }
}

const read = (name: string, text: string): Definition =>
  Definition.parse({ ...ENDPOINT_DEFAULTS, ...JSON.parse(text), name })

function fromRow({ id, account_id, token, name, definition, version, inserted_at, updated_at }: Row): Endpoint {
  return { ...read(name, definition), id, account_id, token, version, inserted_at, updated_at }
}

function snapshotOf({ version, at, author, changes, definition }: VersionRow): EndpointSnapshot {
  const { name } = JSON.parse(definition)
  return { version, at, author, changes: JSON.parse(changes), ...read(name, definition) }
}

/** The fields that were sent, without those that are present but undefined. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

async function takenNamed<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const where = uniqueViolation(error)
    if (where === null) throw error
    throw new InvalidRecord({ [where.includes('name') ? 'name' : 'token']: ['has already been taken'] })
  }
}
