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
    inserted_at: string
    updated_at: string
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
}

export type Database = Kysely<Tables>
