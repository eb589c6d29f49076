/** What the service tells of itself to people who look after it. */
import { z } from 'zod'

export const StoredSource = z.object({
  token: z.uuid(),
  name: z.string(),
  retention_days: z.int(),
  /** In parts. */
  rows: z.int(),
  /** Acknowledged and not in a part yet. */
  fresh_rows: z.int(),
  parts: z.int(),
  bytes: z.int(),
})
export type StoredSource = z.infer<typeof StoredSource>

export const SystemRecord = z.object({
  state: z.enum(['starting', 'ready', 'draining']),
  versions: z.object({ service: z.string(), node: z.string(), duckdb: z.string() }),
  started_at: z.iso.datetime(),
  metadata: z.enum(['sqlite', 'postgres']),
  /** Of the process that takes requests; the query engine has its own. */
  memory_bytes: z.int(),
  query_memory_bytes: z.int(),
  query_timeout_ms: z.int(),
  /** Of the disk that holds the data folder. */
  disk: z.object({ free_bytes: z.int(), total_bytes: z.int() }),
  journal: z.object({ end: z.int(), pending_bytes: z.int(), max_unloaded_bytes: z.int() }),
  warehouse: z.object({
    ready: z.boolean(),
    restarts: z.int(),
    unloaded_bytes: z.int(),
    damaged: z.array(z.object({ source: z.string(), file: z.string(), reason: z.string(), at: z.string() })),
    last_error: z.string().nullable(),
  }),
  /** Of the account of the one who asks. */
  sources: z.array(StoredSource),
})
export type SystemRecord = z.infer<typeof SystemRecord>
