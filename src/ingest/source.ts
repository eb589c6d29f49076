/**
 * What ingest needs to know of a source; a record of the catalog is one. A change of the settings must come as a new
 * object: compiled pipelines are kept by identity and fall away with the old one.
 */
export type IngestSource = {
  readonly token: string
  readonly account_id: number
  readonly retention_days: number
  readonly lock_schema: boolean
  readonly transform_copy_fields: string | null
  readonly transform_key_values: string | null
  readonly transform_drop_fields: string | null
  readonly custom_event_message_keys: string | null
  readonly drop_lql_string: string | null
  /** The backend in which its events live; null: none. */
  readonly home_id?: number | null
}
