/**
 * The catalog: what the service knows about accounts, tokens, sources, rules, saved searches, endpoints, alerts,
 * key-values, rejected events, past queries, people and their sessions, and backends with what their receivers refused. Events themselves are
 * not here.
 *
 * Promises: a change that was answered is on disk; secrets are sealed and token values hashed; the ids of deleted
 * records are not used again; the same code and the same tests run on SQLite and PostgreSQL.
 * Refuses: to open with a secret key that is not the one its records were sealed with (at the first sealed record).
 */
import { Kysely } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { type AlertRuns, createAlertRuns } from './alert-runs.ts'
import { type Alerts, createAlerts } from './alerts.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { type Backends, createBackends } from './backends.ts'
import { type Changes, createChanges } from './changes.ts'
import { type Claims, ownClaims } from './claims.ts'
import { createDeadLetters, type DeadLetters } from './dead-letters.ts'
import { createEndpoints, type Endpoints } from './endpoints.ts'
import { sqliteDialect } from './engines/sqlite.ts'
import { createInvitations, type Invitations } from './invitations.ts'
import { createKeyValues, type KeyValues } from './key-values.ts'
import { type Engine, migrate } from './migrations.ts'
import { createPasswordResets, type PasswordResets } from './password-resets.ts'
import { createQueryLog, type QueryLog } from './query-log.ts'
import { createRejectedEvents, type RejectedEvents } from './rejected-events.ts'
import { createRules, type Rules } from './rules.ts'
import { createSavedSearches, type SavedSearches } from './saved-searches.ts'
import { createSecrets } from './secrets.ts'
import { createSessions, type Sessions } from './sessions.ts'
import type { Shared } from './shared/shared.ts'
import { createSources, type Sources } from './sources.ts'
import type { Tables } from './tables.ts'
import { createTokens, type Tokens } from './tokens.ts'
import { createUsers, type Users } from './users.ts'

export type Catalog = {
  engine: Engine
  accounts: Accounts
  tokens: Tokens
  sources: Sources
  rules: Rules
  keyValues: KeyValues
  rejected: RejectedEvents
  savedSearches: SavedSearches
  endpoints: Endpoints
  alerts: Alerts
  alertRuns: AlertRuns
  queryLog: QueryLog
  backends: Backends
  deadLetters: DeadLetters
  users: Users
  sessions: Sessions
  invitations: Invitations
  passwordResets: PasswordResets
  auditLog: AuditLog
  changes: Changes
  claims: Claims
  /** What nodes that share the catalog need; null where nobody can share it, on SQLite. */
  shared: Shared | null
  /** Answers when the database does. */
  ping(): Promise<void>
  stop(): Promise<void>
}

export type CatalogPlace = { /** `postgres://…` */ url: string } | { /** SQLite file. */ file: string }

type Parts = CatalogPlace & {
  secretKey: Buffer
  clock: Clock
  /** The token of the node that opens it. */
  node?: string
  onIdleError?: (error: Error) => void
}

export async function openCatalog({ secretKey, clock, onIdleError = () => {}, ...place }: Parts): Promise<Catalog> {
  const engine: Engine = 'url' in place ? 'postgres' : 'sqlite'
  const db = new Kysely<Tables>({ dialect: await dialectOf(place, onIdleError) })
  try {
    await migrate(db, engine)
  } catch (error) {
    await db.destroy()
    if (error instanceof Fault && error.code === 'unavailable')
      throw new Fault(
        'setup',
        'The database of DATABASE_URL cannot be reached. Start it, or correct the address.',
        error,
      )
    if (error instanceof Fault) throw error
    throw new Fault('setup', 'The catalog could not be opened.', error)
  }
  const changes = createChanges()
  const secrets = createSecrets(secretKey)
  const shared = 'url' in place ? await sharedPart(db, place.url, changes, place.node ?? uuid4()) : null
  let stopped: Promise<void> | null = null

  async function stop(): Promise<void> {
    await shared?.stop()
    await db.destroy()
  }

  return {
    engine,
    changes,
    claims: shared?.claims ?? ownClaims,
    shared,
    accounts: createAccounts({ db, clock, changes }),
    tokens: createTokens({ db, clock, changes }),
    sources: createSources({ db, engine, secrets, clock, changes }),
    rules: createRules({ db, changes }),
    keyValues: createKeyValues({ db, changes }),
    rejected: createRejectedEvents({ db }),
    savedSearches: createSavedSearches({ db, clock }),
    endpoints: createEndpoints({ db, engine, clock, changes }),
    alerts: createAlerts({ db, secrets, clock, changes }),
    alertRuns: createAlertRuns({ db, clock }),
    queryLog: createQueryLog({ db, clock }),
    backends: createBackends({ db, secrets, clock, changes }),
    deadLetters: createDeadLetters({ db, clock }),
    users: createUsers({ db, engine, clock, changes }),
    sessions: createSessions({ db, clock, changes }),
    invitations: createInvitations({ db, clock }),
    passwordResets: createPasswordResets({ db, clock }),
    auditLog: createAuditLog({ db, clock }),
    async ping() {
      await db.selectFrom('accounts').select('id').limit(1).execute()
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

async function sharedPart(db: Kysely<Tables>, url: string, changes: Changes, node: string): Promise<Shared> {
  const { createShared } = await import('./shared/shared.ts')
  return createShared({ db, url, changes, node })
}

async function dialectOf(place: CatalogPlace, onIdleError: (error: Error) => void) {
  if ('file' in place) return sqliteDialect(place.file)
  // Loaded only when used: a deployment on SQLite does not pay for the PostgreSQL client.
  const { postgresDialect } = await import('./engines/postgres.ts')
  return postgresDialect(place.url, onIdleError)
}
