/**
 * The records of the HTTP interface. Those of the service's own model are taken from there, as types only: nothing of
 * the server runs in the browser, and this file is the one place that reaches over.
 */
import type { Role, SessionRecord, UserRecord } from '../../../src/model/person.ts'

export type { AccountRecord } from '../../../src/model/account.ts'
export type { AlertRecord, AlertSettings } from '../../../src/model/alert.ts'
export type { AlertRun } from '../../../src/model/alert-run.ts'
export type { AuditEntry } from '../../../src/model/audit.ts'
export type { BackendRecord, BackendStatus } from '../../../src/model/backend.ts'
export type { BackendField, BackendType } from '../../../src/model/backend-type.ts'
export type {
  EndpointRecord,
  EndpointSettings,
  EndpointSnapshot,
  EndpointVersion,
} from '../../../src/model/endpoint.ts'
export type { KeyValue } from '../../../src/model/key-value.ts'
export type { InvitationRecord } from '../../../src/model/person.ts'
export type { RuleRecord } from '../../../src/model/routing-rule.ts'
export type { RunningQuery } from '../../../src/model/running-query.ts'
export type { NewSavedSearch, SavedSearch } from '../../../src/model/saved-search.ts'
export type { SourceMetrics, SourceRecord } from '../../../src/model/source.ts'
export type { StoredSource, SystemRecord } from '../../../src/model/system.ts'
export type { TokenRecord } from '../../../src/model/token.ts'
export type { Role, SessionRecord, UserRecord }

export type Session = {
  user: { id: number; email: string; name: string | null; role: Role }
  account: { token: string; name: string }
  csrf_token: string
}

export type Setup = {
  /** Nobody can log in yet: the first visitor makes the owner. */
  needs_owner: boolean
  oidc: { label: string } | null
  version: string
  mail: boolean
}

/** A row of an answer, its columns in the order of the query. */
export type Row = Record<string, unknown>

export type Answer = { result: Row[]; rows: number; bytes_scanned: number; ms: number }

/** A line of the log of queries. */
export type LoggedQuery = {
  at: string
  kind: 'query' | 'endpoint' | 'requery' | 'alert'
  endpoint: string | null
  version: number | null
  labels: Record<string, string>
  rows: number
  bytes_scanned: number
  ms: number
  cached: boolean
  error: string | null
  /** Who asked. */
  token: string | null
  count: number
}

export type EndpointUse = {
  endpoint: string
  calls: number
  cached: number
  failed: number
  mean_ms: number | null
  max_ms: number | null
  last_at: string
}

/** An event as the service shows it: these three, and whatever it was sent with. */
export type LogEvent = {
  id: string
  timestamp: number | string
  event_message: string | null
  [field: string]: unknown
}
