import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { InvalidRecord } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import type { Backend } from '../model/backend.ts'
import type { Changes } from './changes.ts'
import type { Secrets } from './secrets.ts'
import type { Database, Tables } from './tables.ts'

/** What dashboards that manage drains write into `metadata.type`. */
const LOG_DRAIN = 'log-drain'

export type Backends = ReturnType<typeof createBackends>

type Parts = { db: Database; secrets: Secrets; clock: Clock; changes: Changes }
type Row = Selectable<Tables['backends']>
const AlertBackends = z.object({
  backend_id: z.int().nullable().default(null),
  backend_ids: z.array(z.int()).default([]),
})
function namesBackend(definition: string, id: number): boolean {
  const { backend_id, backend_ids } = AlertBackends.parse(JSON.parse(definition))
  return backend_id === id || backend_ids.includes(id)
}

export type BackendSettings = Pick<Backend, 'name' | 'description' | 'config' | 'metadata'> &
  Partial<Pick<Backend, 'default_ingest?'>>

/** Where events of a source go: all of them, or those that one of the LQL texts is true of. */
export type Drain = { backend_id: number; source: string; lql: string | null }

/** Backends by account, their configuration sealed, and which sources they are attached to. */
export function createBackends({ db, secrets, clock, changes }: Parts) {
  const now = (): string => new Date(clock.nowMs()).toISOString()
  const place = (token: string): string => `backend:${token}`

  const toColumns = (token: string, { name, description, config, metadata, ...more }: BackendSettings) => ({
    name,
    description,
    sealed: secrets.seal(JSON.stringify(config), place(token)),
    metadata: JSON.stringify(metadata),
    ...(more['default_ingest?'] === undefined ? {} : { default_ingest: Number(more['default_ingest?']) }),
  })

  function fromRow({ sealed, metadata, managed, default_ingest, ...row }: Row): Backend {
    return {
      ...row,
      config: JSON.parse(secrets.open(sealed, place(row.token))),
      metadata: JSON.parse(metadata),
      managed: managed === 1,
      'default_ingest?': default_ingest === 1,
    }
  }

  const ofAccount = (accountId: number) =>
    db.selectFrom('backends').selectAll().where('account_id', '=', accountId).orderBy('id')

  return {
    /** Oldest first; without the managed one. */
    list: async (accountId: number): Promise<Backend[]> =>
      (await ofAccount(accountId).where('managed', '=', 0).execute()).map(fromRow),

    /** The one that the deployment's settings name by its address. */
    async managed(accountId: number): Promise<Backend | null> {
      const row = await ofAccount(accountId).where('managed', '=', 1).executeTakeFirst()
      return row ? fromRow(row) : null
    },

    /** Of all accounts, for delivery. */
    all: async (): Promise<Backend[]> =>
      (await db.selectFrom('backends').selectAll().orderBy('id').execute()).map(fromRow),

    async byToken(accountId: number, token: string): Promise<Backend | null> {
      const row = await ofAccount(accountId).where('token', '=', token.toLowerCase()).executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async byId(accountId: number, id: number): Promise<Backend | null> {
      const row = await ofAccount(accountId).where('id', '=', id).executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async create(
      accountId: number,
      { type, managed = false, ...settings }: BackendSettings & { type: string; managed?: boolean },
    ): Promise<Backend> {
      const token = uuid4()
      const at = now()
      const row = await db
        .insertInto('backends')
        .values({
          account_id: accountId,
          token,
          type,
          ...toColumns(token, settings),
          managed: Number(managed),
          inserted_at: at,
          updated_at: at,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      changes.announce({ noun: 'backend' })
      return fromRow(row)
    },

    async update({ id, token }: Backend, settings: BackendSettings): Promise<Backend | null> {
      const row = await db
        .updateTable('backends')
        .set({ ...toColumns(token, settings), updated_at: now() })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      changes.announce({ noun: 'backend' })
      return row ? fromRow(row) : null
    },

    /** Refuses while sources live in it, or sources, rules or alerts still send to it. */
    /** Rules of a log drain go with it: whoever made the one made the others, and never speaks of them again. */
    async remove({ id, account_id, metadata }: Backend): Promise<void> {
      await db.transaction().execute(async (step) => {
        const source = await step
          .selectFrom('source_backends')
          .select('source_id')
          .where('backend_id', '=', id)
          .executeTakeFirst()
        if (source) throw new InvalidRecord({ sources: ['There are still sources connected to this backend'] })
        const living = await step.selectFrom('sources').select('name').where('home_id', '=', id).execute()
        const names = living.map(({ name }) => name).join(', ')
        if (living.length > 0) throw new InvalidRecord({ sources: [`still live in this backend: ${names}`] })
        if (metadata.type === LOG_DRAIN) await step.deleteFrom('rules').where('backend_id', '=', id).execute()
        const rule = await step.selectFrom('rules').select('id').where('backend_id', '=', id).executeTakeFirst()
        if (rule) throw new InvalidRecord({ rules: ['There are still rules connected to this backend'] })
        const alerts = await step
          .selectFrom('alerts')
          .select(['name', 'definition'])
          .where('account_id', '=', account_id)
          .execute()
        const using = alerts.filter(({ definition }) => namesBackend(definition, id)).map(({ name }) => name)
        if (using.length > 0)
          throw new InvalidRecord({ alerts: [`still tell this backend, or run on it: ${using.join(', ')}`] })
        await step.deleteFrom('backends').where('id', '=', id).execute()
      })
      changes.announce({ noun: 'backend' })
      if (metadata.type === LOG_DRAIN) changes.announce({ noun: 'rule' })
    },

    /** Attaching twice is attaching once. */
    async attach(sourceId: number, backendId: number): Promise<void> {
      await db
        .insertInto('source_backends')
        .values({ source_id: sourceId, backend_id: backendId })
        .onConflict((conflict) => conflict.columns(['source_id', 'backend_id']).doNothing())
        .execute()
      changes.announce({ noun: 'backend' })
    },

    /** Whether it was attached. */
    async detach(sourceId: number, backendId: number): Promise<boolean> {
      const row = await db
        .deleteFrom('source_backends')
        .where('source_id', '=', sourceId)
        .where('backend_id', '=', backendId)
        .returning('source_id')
        .executeTakeFirst()
      changes.announce({ noun: 'backend' })
      return row !== undefined
    },

    async ofSource(sourceId: number): Promise<Backend[]> {
      const rows = await db
        .selectFrom('backends')
        .innerJoin('source_backends', 'source_backends.backend_id', 'backends.id')
        .selectAll('backends')
        .where('source_backends.source_id', '=', sourceId)
        .orderBy('backends.id')
        .execute()
      return rows.map(fromRow)
    },

    /** Which sources live in which backends, of all accounts. */
    homes: (): Promise<{ backend_id: number; source: string }[]> =>
      db
        .selectFrom('sources')
        .innerJoin('backends', 'backends.id', 'sources.home_id')
        .select(['backends.id as backend_id', 'sources.token as source'])
        .execute(),

    /** Every way from a source to a backend, attached or by rule, of all accounts. */
    async drains(): Promise<Drain[]> {
      const attached = await db
        .selectFrom('source_backends')
        .innerJoin('sources', 'sources.id', 'source_backends.source_id')
        .select(['source_backends.backend_id', 'sources.token as source'])
        .execute()
      const rules = await db
        .selectFrom('rules')
        .innerJoin('sources', 'sources.id', 'rules.source_id')
        .innerJoin('backends', 'backends.id', 'rules.backend_id')
        .select(['backends.id as backend_id', 'sources.token as source', 'rules.lql_string as lql'])
        .execute()
      return [...attached.map((one) => ({ ...one, lql: null })), ...rules]
    },
  }
}
