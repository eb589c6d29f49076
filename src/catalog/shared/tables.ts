/**
 * The tables that only nodes which share a catalog need, as the step `0011_nodes` makes them on PostgreSQL, and the triggers
 * that note which kind of record a transaction changed.
 *
 * Triggers, and not the code that makes the change, because a note is then part of the change: it is there when the
 * change is, whoever made it (a node that dies right after, the command line, a cascade), and never before.
 */
import { type Kysely, sql } from 'kysely'
import type { Change } from '../changes.ts'

/** On which tables what counts as a change; notes of use and of runs do not. */
const WATCHED: [table: string, noun: Change['noun'], events: string][] = [
  ['accounts', 'account', 'insert or update or delete'],
  ['tokens', 'token', 'insert or delete or update of scopes, hash, revoked_at'],
  ['sources', 'source', 'insert or update or delete'],
  ['rules', 'rule', 'insert or update or delete'],
  ['endpoints', 'endpoint', 'insert or update or delete'],
  ['alerts', 'alert', 'insert or delete or update of name, definition, sealed'],
  ['backends', 'backend', 'insert or update or delete'],
  ['source_backends', 'backend', 'insert or update or delete'],
  ['users', 'user', 'insert or delete or update of account_id, email, name, role, password'],
  ['sessions', 'session', 'delete'],
  ['key_values', 'key-values', 'insert or update or delete'],
  ['source_fields', 'fields', 'insert or update'],
]

/** Nodes hear of changes on this channel. */
export const CHANNEL = 'millrace_changes'

// Steps of the history know no table types: those of their time are not those of today.
// biome-ignore lint/suspicious/noExplicitAny: as Kysely's own type of a step.
export async function makeSharedTables(db: Kysely<any>): Promise<void> {
  await sql`create table nodes (
    id integer primary key generated always as identity,
    token text not null unique,
    address text not null,
    version text not null,
    position bigint not null,
    started_at timestamptz not null,
    last_seen_at timestamptz not null
  )`.execute(db)
  await sql`create table claims (
    name text primary key,
    holder text not null,
    until timestamptz not null
  )`.execute(db)
  await sql`create table source_fields (
    source_id integer primary key references sources (id) on delete cascade,
    fields text not null,
    xid xid8 not null
  )`.execute(db)
  await sql`create table deleted_sources (
    token text primary key,
    at timestamptz not null default now()
  )`.execute(db)
  await sql`create function millrace_note_deleted_source() returns trigger language plpgsql as $$
    begin
      insert into deleted_sources (token) values (old.token) on conflict do nothing;
      return null;
    end $$`.execute(db)
  await sql`create trigger sources_deleted after delete on sources
    for each row execute function millrace_note_deleted_source()`.execute(db)
  await sql`create table changes (
    xid xid8 not null default pg_current_xact_id(),
    noun text not null,
    at timestamptz not null default now()
  )`.execute(db)
  await sql`create index changes_xid on changes (xid)`.execute(db)
  await sql`create function millrace_note_change() returns trigger language plpgsql as $$
    begin
      insert into changes (noun) values (tg_argv[0]);
      perform pg_notify(${sql.lit(CHANNEL)}, tg_argv[0]);
      return null;
    end $$`.execute(db)
  for (const [table, noun, events] of WATCHED)
    await sql`create trigger ${sql.id(`${table}_changed`)} after ${sql.raw(events)} on ${sql.table(table)}
      for each statement execute function millrace_note_change(${sql.lit(noun)})`.execute(db)
}
