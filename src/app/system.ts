/** What people who look after the service see of it. */
import { statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { VERSION } from '../http/openapi.ts'
import type { SystemParts } from '../http/routes/system.ts'
import type { Journal } from '../journal/journal.ts'
import type { SystemRecord } from '../model/system.ts'
import type { Settings } from '../settings.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'

type Parts = {
  settings: Settings
  catalog: Catalog
  journal: Journal
  warehouse: Warehouse
  clock: Clock
  state(): SystemRecord['state']
}

export function createSystem({ settings, catalog, journal, warehouse, clock, state }: Parts): SystemParts {
  const startedAt = new Date(clock.nowMs()).toISOString()
  return {
    async system(account) {
      const sources = await catalog.sources.list(account.id)
      const own = new Set(sources.map(({ token }) => token))
      const { isReady, restarts, unloadedBytes, damaged, lastError } = warehouse.health()
      return {
        state: state(),
        versions: { service: VERSION, node: process.versions.node, duckdb: duckdbVersion() },
        started_at: startedAt,
        metadata: catalog.engine,
        memory_bytes: process.memoryUsage.rss(),
        query_memory_bytes: settings.queryMemoryMb * 1024 * 1024,
        query_timeout_ms: settings.queryTimeoutMs,
        disk: await diskOf(settings.dataDir),
        journal: {
          end: journal.end,
          pending_bytes: journal.pendingBytes,
          max_unloaded_bytes: settings.maxUnloadedBytes,
        },
        warehouse: {
          ready: isReady,
          restarts,
          unloaded_bytes: unloadedBytes,
          damaged: damaged.filter(({ source }) => own.has(source)),
          last_error: lastError,
        },
        sources: sources.map(({ token, name, retention_days }) => {
          const { rows, freshRows, parts, bytes } = warehouse.stats(token)
          return { token, name, retention_days, rows, fresh_rows: freshRows, parts, bytes }
        }),
      }
    },
  }
}

async function diskOf(folder: string): Promise<SystemRecord['disk']> {
  const { bsize, blocks, bavail } = await statfs(folder)
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
}

/** Read from its package: loading the engine into this process only to ask would cost more memory than the rest. */
function duckdbVersion(): string {
  const found: unknown = createRequire(import.meta.url)('@duckdb/node-api/package.json')
  return z.object({ version: z.string() }).parse(found).version.split('-', 1)[0] ?? ''
}
