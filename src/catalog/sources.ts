import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { InvalidRecord } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import type { Account } from '../model/account.ts'
import { storedNotifications } from '../model/notifications.ts'
import { PLANS } from '../model/plan.ts'
import {
  type NewSource,
  SEALED_SETTINGS,
  SOURCE_DEFAULTS,
  type Source,
  type SourceChanges,
  SourceSettings,
} from '../model/source.ts'
import type { Changes } from './changes.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Engine } from './migrations.ts'
import type { Secrets } from './secrets.ts'
import type { Database, Tables } from './tables.ts'

export type Sources = ReturnType<typeof createSources>

type Parts = { db: Database; engine: Engine; secrets: Secrets; clock: Clock; changes: Changes }

type Row = Selectable<Tables['sources']>

/** Sources by account. A name is unique within its account: the table itself refuses a second one. */
export function createSources({ db, engine, secrets, clock, changes }: Parts) {
  const now = (): string => new Date(clock.nowMs()).toISOString()
  const place = (token: string): string => `source:${token}`

  function toColumns(token: string, settings: SourceSettings): Pick<Row, 'name' | 'settings' | 'sealed'> {
    const { name, ...others } = settings
    const plain: Record<string, unknown> = { ...others }
    const sealed: Record<string, unknown> = {}
    for (const key of SEALED_SETTINGS) {
      sealed[key] = plain[key]
      delete plain[key]
    }
    return {
      name,
      settings: JSON.stringify(plain),
      sealed: secrets.seal(JSON.stringify(sealed), place(token)),
    }
  }

  function fromRow(row: Row): Source {
    const sealed: Record<string, unknown> = JSON.parse(secrets.open(row.sealed, place(row.token)))
    const settings = SourceSettings.parse({
      ...SOURCE_DEFAULTS,
      ...JSON.parse(row.settings),
      ...sealed,
      notifications: storedNotifications(sealed.notifications),
      name: row.name,
    })
    const { id, account_id, token, home_id, inserted_at, updated_at } = row
    return { ...settings, id, account_id, token, home_id, inserted_at, updated_at }
  }

  const sources = {
    /** Favourites first, then by name. */
    async list(accountId: number): Promise<Source[]> {
      const rows = await db.selectFrom('sources').selectAll().where('account_id', '=', accountId).execute()
      return rows
        .map(fromRow)
        .sort((a, b) => Number(b.favorite) - Number(a.favorite) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },

    /** Every source of the deployment, for parts that work on all of them (retention, recovery). */
    async all(): Promise<Source[]> {
      return (await db.selectFrom('sources').selectAll().orderBy('id').execute()).map(fromRow)
    },

    async byToken(accountId: number, token: string): Promise<Source | null> {
      const row = await db
        .selectFrom('sources')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('token', '=', token.toLowerCase())
        .executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async byName(accountId: number, name: string): Promise<Source | null> {
      const row = await db
        .selectFrom('sources')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('name', '=', name)
        .executeTakeFirst()
      return row ? fromRow(row) : null
    },

    /** `homeId` is the backend in which its events will live; null: the embedded warehouse. */
    async create(
      account: Account,
      { token = uuid4(), home: _home, ...chosen }: NewSource,
      homeId: number | null = null,
    ): Promise<Source> {
      const settings = SourceSettings.parse({ ...SOURCE_DEFAULTS, ...given(chosen) })
      checkPlan(account, settings)
      const at = now()
      const row = await takenNamed(() =>
        db
          .insertInto('sources')
          .values({
            ...{ account_id: account.id, token, ...toColumns(token, settings), home_id: homeId },
            ...{ inserted_at: at, updated_at: at },
          })
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
      changes.announce({ noun: 'source' })
      return fromRow(row)
    },

    /** Reads and writes in one transaction, so two changes of different fields at the same time both hold. */
    async update(
      account: Account,
      token: string,
      { token: sentToken, home: _home, ...sent }: SourceChanges,
    ): Promise<Source | null> {
      if (sentToken !== undefined && sentToken !== token.toLowerCase()) {
        throw new InvalidRecord({ token: ['cannot be changed'] })
      }
      const row = await takenNamed(() =>
        db.transaction().execute(async (step) => {
          const query = step.selectFrom('sources').selectAll().where('account_id', '=', account.id)
          const locked = engine === 'postgres' ? query.forUpdate() : query
          const stored = await locked.where('token', '=', token.toLowerCase()).executeTakeFirst()
          if (!stored) return null
          const { id, account_id, token: kept, home_id, inserted_at, updated_at, ...settings } = fromRow(stored)
          const changed = SourceSettings.parse({ ...settings, ...given(sent) })
          checkPlan(account, changed)
          return step
            .updateTable('sources')
            .set({ ...toColumns(stored.token, changed), updated_at: now() })
            .where('id', '=', stored.id)
            .returningAll()
            .executeTakeFirstOrThrow()
        }),
      )
      changes.announce({ noun: 'source' })
      return row ? fromRow(row) : null
    },

    /** Events that come from now on live there. */
    async move({ id }: Pick<Source, 'id'>, homeId: number | null): Promise<Source | null> {
      const row = await db
        .updateTable('sources')
        .set({ home_id: homeId, updated_at: now() })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      changes.announce({ noun: 'source' })
      return row ? fromRow(row) : null
    },

    async remove(accountId: number, token: string): Promise<Source | null> {
      const row = await db
        .deleteFrom('sources')
        .where('account_id', '=', accountId)
        .where('token', '=', token.toLowerCase())
        .returningAll()
        .executeTakeFirst()
      changes.announce({ noun: 'source' })
      return row ? fromRow(row) : null
    },
  }
  return sources
}

/** The fields that were sent, without those that are present but undefined. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

function checkPlan(account: Account, settings: SourceSettings): void {
  const plan = PLANS[account.plan]
  const errors: Record<string, string[]> = {}
  if (settings.retention_days > plan.retentionDaysMax) errors.retention_days = ['ttl is over your plan limit']
  if (settings.transform_key_values && !plan.enrichment) errors.transform_key_values = ['is not part of your plan']
  if (Object.keys(errors).length > 0) throw new InvalidRecord(errors)
}

async function takenNamed<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const where = uniqueViolation(error)
    if (where === null) throw error
    throw new InvalidRecord({ [where.includes('name') ? 'name' : 'token']: ['has already been taken'] })
  }
}
