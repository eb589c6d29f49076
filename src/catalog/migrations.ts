/**
 * The history of the tables, oldest first, one list for both engines. A step that has been released is never edited;
 * the next change is the next step. PostgreSQL holds a lock while steps run, so nodes may start together.
 */
import { type ColumnDefinitionBuilder, type Migration, Migrator, sql } from 'kysely'
import { Fault } from '../base/faults.ts'
import { makeSharedTables } from './shared/tables.ts'
import type { Database } from './tables.ts'

export type Engine = 'sqlite' | 'postgres'

export async function migrate(db: Database, engine: Engine): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => steps(engine) } })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof Fault) throw error
  if (error) throw new Fault('setup', 'The tables of the catalog could not be brought up to date.', error)
}

const byteOrder = sql`collate "C"`

function steps(engine: Engine): Record<string, Migration> {
  /** Ids are never used twice, also not the newest one after it was deleted. */
  const identity = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedAlwaysAsIdentity()
  const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()
  const unique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull().unique()
  const belongsTo =
    (table: string) =>
    (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
      column.notNull().references(`${table}.id`).onDelete('cascade')

  return {
    '0001_first_tables': {
      async up(db) {
        await db.schema
          .createTable('accounts')
          .addColumn('id', 'integer', identity)
          .addColumn('token', 'text', unique)
          .addColumn('name', 'text', unique)
          .addColumn('plan', 'text', required)
          .addColumn('inserted_at', 'text', required)
          .execute()
        await db.schema
          .createTable('tokens')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('description', 'text')
          .addColumn('scopes', 'text', required)
          .addColumn('hash', 'text', unique)
          .addColumn('fixed', 'integer', required)
          .addColumn('inserted_at', 'text', required)
          .addColumn('last_used_at', 'text')
          .addColumn('revoked_at', 'text')
          .execute()
        await db.schema
          .createTable('sources')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('token', 'text', unique)
          .addColumn('name', 'text', required)
          .addColumn('settings', 'text', required)
          .addColumn('sealed', 'text', required)
          .addColumn('inserted_at', 'text', required)
          .addColumn('updated_at', 'text', required)
          .addUniqueConstraint('sources_account_id_name', ['account_id', 'name'])
          .execute()
        await db.schema
          .createTable('key_values')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          // Byte order, so that pages follow one order on both engines whatever the database's locale.
          .addColumn('key', 'text', (column) =>
            engine === 'postgres' ? required(column).modifyEnd(byteOrder) : required(column),
          )
          .addColumn('value', 'text', required)
          .addUniqueConstraint('key_values_account_id_key', ['account_id', 'key'])
          .execute()
        await db.schema
          .createTable('rejected_events')
          .addColumn('id', 'integer', identity)
          .addColumn('source_id', 'integer', belongsTo('sources'))
          .addColumn('at', 'text', required)
          .addColumn('reason', 'text', required)
          .addColumn('event', 'text', required)
          .execute()
        await db.schema.createIndex('tokens_account').on('tokens').column('account_id').execute()
        await db.schema
          .createIndex('rejected_events_source')
          .on('rejected_events')
          .columns(['source_id', 'id'])
          .execute()
      },
    },
    '0002_rules': {
      async up(db) {
        await db.schema
          .createTable('rules')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('token', 'text', unique)
          .addColumn('source_id', 'integer', belongsTo('sources'))
          .addColumn('lql_string', 'text', required)
          .addColumn('sink_id', 'integer', (column) => column.references('sources.id').onDelete('cascade'))
          .addColumn('backend_id', 'integer')
          .execute()
        await db.schema.createIndex('rules_source').on('rules').column('source_id').execute()
        await db.schema.createIndex('rules_sink').on('rules').column('sink_id').execute()
        await db.schema.createIndex('rules_account').on('rules').column('account_id').execute()
      },
    },
    '0003_saved_searches': {
      async up(db) {
        await db.schema
          .createTable('saved_searches')
          .addColumn('id', 'integer', identity)
          .addColumn('source_id', 'integer', belongsTo('sources'))
          .addColumn('name', 'text', required)
          .addColumn('lql', 'text', required)
          .addColumn('lql_hash', 'text', required)
          .addColumn('tailing', 'integer', required)
          .addColumn('inserted_at', 'text', required)
          .addUniqueConstraint('saved_searches_source_id_name', ['source_id', 'name'])
          .addUniqueConstraint('saved_searches_source_id_lql_hash', ['source_id', 'lql_hash'])
          .execute()
      },
    },
    '0004_endpoints': {
      async up(db) {
        await db.schema
          .createTable('endpoints')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('token', 'text', unique)
          .addColumn('name', 'text', required)
          .addColumn('definition', 'text', required)
          .addColumn('version', 'integer', required)
          .addColumn('inserted_at', 'text', required)
          .addColumn('updated_at', 'text', required)
          .addUniqueConstraint('endpoints_account_id_name', ['account_id', 'name'])
          .execute()
        await db.schema
          .createTable('endpoint_versions')
          .addColumn('endpoint_id', 'integer', belongsTo('endpoints'))
          .addColumn('version', 'integer', required)
          .addColumn('at', 'text', required)
          .addColumn('author', 'text', required)
          .addColumn('changes', 'text', required)
          .addColumn('definition', 'text', required)
          .addPrimaryKeyConstraint('endpoint_versions_key', ['endpoint_id', 'version'])
          .execute()
      },
    },
    '0005_queries': {
      async up(db) {
        await db.schema
          .createTable('queries')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('at', 'text', required)
          .addColumn('kind', 'text', required)
          .addColumn('endpoint', 'text')
          .addColumn('version', 'integer')
          .addColumn('labels', 'text', required)
          .addColumn('rows', 'integer', required)
          .addColumn('bytes_scanned', 'bigint', required)
          .addColumn('ms', 'integer', required)
          .addColumn('cached', 'integer', required)
          .addColumn('error', 'text')
          .addColumn('token', 'text')
          .addColumn('count', 'integer', required)
          .execute()
        await db.schema.createIndex('queries_account_at').on('queries').columns(['account_id', 'at']).execute()
        await db.schema.createIndex('queries_at').on('queries').column('at').execute()
      },
    },
    '0006_alerts': {
      async up(db) {
        await db.schema
          .createTable('alerts')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('token', 'text', unique)
          .addColumn('name', 'text', required)
          .addColumn('definition', 'text', required)
          .addColumn('sealed', 'text', required)
          .addColumn('revision', 'integer', required)
          .addColumn('inserted_at', 'text', required)
          .addColumn('updated_at', 'text', required)
          .addUniqueConstraint('alerts_account_id_name', ['account_id', 'name'])
          .execute()
      },
    },
    '0007_backends': {
      async up(db) {
        await db.schema
          .createTable('backends')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('token', 'text', unique)
          .addColumn('name', 'text', required)
          .addColumn('description', 'text')
          .addColumn('type', 'text', required)
          .addColumn('sealed', 'text', required)
          .addColumn('metadata', 'text', required)
          .addColumn('inserted_at', 'text', required)
          .addColumn('updated_at', 'text', required)
          .execute()
        await db.schema
          .createTable('source_backends')
          .addColumn('source_id', 'integer', belongsTo('sources'))
          .addColumn('backend_id', 'integer', belongsTo('backends'))
          .addPrimaryKeyConstraint('source_backends_key', ['source_id', 'backend_id'])
          .execute()
        await db.schema
          .createTable('dead_letters')
          .addColumn('id', 'integer', identity)
          .addColumn('backend_id', 'integer', belongsTo('backends'))
          .addColumn('at', 'text', required)
          .addColumn('source', 'text', required)
          .addColumn('reason', 'text', required)
          .addColumn('event', 'text', required)
          .execute()
        await db.schema.createIndex('dead_letters_backend').on('dead_letters').columns(['backend_id', 'id']).execute()
      },
    },
    '0008_people': {
      async up(db) {
        await db.schema
          .createTable('users')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('email', 'text', unique)
          .addColumn('name', 'text')
          .addColumn('role', 'text', required)
          .addColumn('password', 'text')
          .addColumn('subject', 'text', (column) => column.unique())
          .addColumn('inserted_at', 'text', required)
          .addColumn('last_login_at', 'text')
          .execute()
        await db.schema
          .createTable('sessions')
          .addColumn('id', 'integer', identity)
          .addColumn('user_id', 'integer', belongsTo('users'))
          .addColumn('hash', 'text', unique)
          .addColumn('address', 'text', required)
          .addColumn('user_agent', 'text')
          .addColumn('inserted_at', 'text', required)
          .addColumn('last_seen_at', 'text', required)
          .execute()
        await db.schema
          .createTable('invitations')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('email', 'text', required)
          .addColumn('role', 'text', required)
          .addColumn('hash', 'text', unique)
          .addColumn('invited_by', 'text', required)
          .addColumn('inserted_at', 'text', required)
          .addColumn('expires_at', 'text', required)
          .addUniqueConstraint('invitations_account_id_email', ['account_id', 'email'])
          .execute()
        await db.schema
          .createTable('password_resets')
          .addColumn('id', 'integer', identity)
          .addColumn('user_id', 'integer', belongsTo('users'))
          .addColumn('hash', 'text', unique)
          .addColumn('expires_at', 'text', required)
          .execute()
        await db.schema
          .createTable('audit_log')
          .addColumn('id', 'integer', identity)
          .addColumn('account_id', 'integer', belongsTo('accounts'))
          .addColumn('at', 'text', required)
          .addColumn('by', 'text', required)
          .addColumn('who', 'text', required)
          .addColumn('action', 'text', required)
          .addColumn('kind', 'text', required)
          .addColumn('record', 'text')
          .addColumn('fields', 'text', required)
          .addColumn('address', 'text', required)
          .execute()
        await db.schema.createIndex('audit_log_account').on('audit_log').columns(['account_id', 'id']).execute()
        await db.schema.createIndex('audit_log_at').on('audit_log').column('at').execute()
        await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
      },
    },
    '0009_alert_runs': {
      async up(db) {
        const text = (name: string) => db.schema.alterTable('alerts').addColumn(name, 'text').execute()
        for (const name of ['next_run_at', 'state_since', 'last_run_at', 'last_told_at', 'last_error']) await text(name)
        await db.schema
          .alterTable('alerts')
          .addColumn('state', 'text', (column) => column.notNull().defaultTo('waiting'))
          .execute()
        await db.schema.createIndex('alerts_next_run_at').on('alerts').column('next_run_at').execute()
        await db.schema
          .createTable('alert_runs')
          .addColumn('id', 'integer', identity)
          .addColumn('alert_id', 'integer', belongsTo('alerts'))
          .addColumn('at', 'text', required)
          .addColumn('trigger', 'text', required)
          .addColumn('outcome', 'text', required)
          .addColumn('rows', 'integer', required)
          .addColumn('ms', 'integer', required)
          .addColumn('muted', 'integer', required)
          .addColumn('error', 'text')
          .addColumn('missed', 'integer', required)
          .addColumn('deliveries', 'text', required)
          .execute()
        await db.schema.createIndex('alert_runs_alert').on('alert_runs').columns(['alert_id', 'id']).execute()
        await db.schema.createIndex('alert_runs_at').on('alert_runs').column('at').execute()
      },
    },
    '0010_homes': {
      async up(db) {
        const flag = (name: string) =>
          db.schema
            .alterTable('backends')
            .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
            .execute()
        for (const name of ['managed', 'default_ingest']) await flag(name)
        await db.schema
          .alterTable('sources')
          .addColumn('home_id', 'integer', (column) => column.references('backends.id'))
          .execute()
        await db.schema.createIndex('sources_home_id').on('sources').column('home_id').execute()
      },
    },
    '0011_nodes': {
      async up(db) {
        // Nodes that start together make one managed backend of an account, not one each.
        await db.schema
          .createIndex('backends_managed')
          .unique()
          .on('backends')
          .column('account_id')
          .where(sql.ref('managed'), '=', 1)
          .execute()
        if (engine === 'postgres') await makeSharedTables(db)
      },
    },
  }
}
