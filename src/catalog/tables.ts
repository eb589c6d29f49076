import type { Generated, Kysely } from 'kysely'

/** The tables as both engines hold them: whole numbers, text, and JSON and times (ISO 8601, UTC) as text. */
export type Tables = {
  accounts: { id: Generated<number>; token: string; name: string; plan: string; inserted_at: string }
  tokens: {
    id: Generated<number>
    account_id: number
    description: string | null
    scopes: string
    /** SHA-256 of the value, hex. The value has 256 random bits, so a plain hash is enough. */
    hash: string
    /** 1 when the value comes from the deployment's settings. */
    fixed: number
    inserted_at: string
    last_used_at: string | null
    revoked_at: string | null
  }
  sources: {
    id: Generated<number>
    account_id: number
    token: string
    name: string
    /** JSON of the settings except name and sealed ones. */
    settings: string
    /** JSON of the settings that hold secrets, sealed. */
    sealed: string
    /** The backend in which its events live; null: the embedded warehouse. */
    home_id: number | null
    inserted_at: string
    updated_at: string
  }
  key_values: { id: Generated<number>; account_id: number; key: string; value: string }
  saved_searches: {
    id: Generated<number>
    source_id: number
    name: string
    /** Canonical. */
    lql: string
    /** SHA-256 of `lql`, hex: an index of PostgreSQL does not hold texts that long. */
    lql_hash: string
    tailing: number
    inserted_at: string
  }
  endpoints: {
    id: Generated<number>
    account_id: number
    token: string
    name: string
    /** JSON of the definition except the name. */
    definition: string
    version: number
    inserted_at: string
    updated_at: string
  }
  endpoint_versions: {
    endpoint_id: number
    version: number
    at: string
    author: string
    /** JSON list of field names. */
    changes: string
    /** JSON of the whole definition. */
    definition: string
  }
  alerts: {
    id: Generated<number>
    account_id: number
    token: string
    name: string
    /** JSON of the definition except name and sealed settings. */
    definition: string
    /** JSON of the settings that hold secrets, sealed. */
    sealed: string
    /** Grows with every change, so that two at the same time do not undo each other. */
    revision: number
    /** Taken by the node that moves it on: one run for each moment, whatever the number of nodes. */
    next_run_at: string | null
    state: string
    state_since: string | null
    last_run_at: string | null
    last_told_at: string | null
    last_error: string | null
    inserted_at: string
    updated_at: string
  }
  alert_runs: {
    id: Generated<number>
    alert_id: number
    at: string
    trigger: string
    outcome: string
    rows: number
    ms: number
    muted: number
    error: string | null
    /** How many runs did not happen; of `missed` only. */
    missed: number
    /** JSON list. */
    deliveries: string
  }
  queries: {
    id: Generated<number>
    account_id: number
    at: string
    kind: string
    endpoint: string | null
    version: number | null
    /** JSON object. */
    labels: string
    rows: number
    bytes_scanned: number
    ms: number
    cached: number
    error: string | null
    token: string | null
    count: number
  }
  users: {
    id: Generated<number>
    account_id: number
    /** Lower case; one mailbox logs in to one account. */
    email: string
    name: string | null
    role: string
    /** Hash and its parameters; null for people who only come through an identity provider. */
    password: string | null
    /** Issuer and subject of the identity provider. */
    subject: string | null
    inserted_at: string
    last_login_at: string | null
  }
  sessions: {
    id: Generated<number>
    user_id: number
    /** SHA-256 of the cookie's value, hex. */
    hash: string
    address: string
    user_agent: string | null
    inserted_at: string
    last_seen_at: string
  }
  invitations: {
    id: Generated<number>
    account_id: number
    email: string
    role: string
    /** SHA-256 of the link's token, hex. */
    hash: string
    invited_by: string
    inserted_at: string
    expires_at: string
  }
  password_resets: {
    id: Generated<number>
    user_id: number
    /** SHA-256 of the link's token, hex. */
    hash: string
    expires_at: string
  }
  audit_log: {
    id: Generated<number>
    account_id: number
    at: string
    /** `user` or `token`. */
    by: string
    /** E-mail address, or description of the token. */
    who: string
    action: string
    kind: string
    record: string | null
    /** JSON list of field names. */
    fields: string
    address: string
  }
  rejected_events: { id: Generated<number>; source_id: number; at: string; reason: string; event: string }
  rules: {
    id: Generated<number>
    account_id: number
    token: string
    source_id: number
    lql_string: string
    /** The source that gets the copies. */
    sink_id: number | null
    backend_id: number | null
  }
  backends: {
    id: Generated<number>
    account_id: number
    token: string
    name: string
    description: string | null
    type: string
    /** JSON of the configuration, sealed. */
    sealed: string
    /** JSON object. */
    metadata: string
    /** 1 for the one that the deployment's settings name by its address; it is not listed. */
    managed: Generated<number>
    /** 1 when new sources that ask for it live here. */
    default_ingest: Generated<number>
    inserted_at: string
    updated_at: string
  }
  source_backends: { source_id: number; backend_id: number }
  dead_letters: {
    id: Generated<number>
    backend_id: number
    at: string
    /** Token. */
    source: string
    reason: string
    /** JSON, as stored. */
    event: string
  }
  /** This and what follows is there on PostgreSQL only, where several nodes may share the catalog. */
  nodes: {
    id: Generated<number>
    token: string
    address: string
    version: string
    /** The end of its journal when it started. */
    position: number
    started_at: Date
    last_seen_at: Date
  }
  claims: { name: string; holder: string; until: Date }
  source_fields: {
    source_id: number
    /** JSON, flat: path → type. */
    fields: string
    /** Of the transaction that wrote it. */
    xid: string
  }
  changes: { xid: Generated<string>; noun: string; at: Generated<Date> }
}

export type Database = Kysely<Tables>
