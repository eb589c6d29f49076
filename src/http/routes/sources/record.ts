import type { Backend } from '../../../model/backend.ts'
import type { Source, SourceMetrics, SourceRecord } from '../../../model/source.ts'

/** What a source record shows beside the stored settings. */
export type SourceParts = {
  metrics: { of(sourceToken: string): SourceMetrics }
  backends: { of(source: Source): Promise<Record<string, unknown>[]> }
  homes: { of(source: Source): Promise<Pick<Backend, 'token' | 'type'> | null> }
}

export async function sourceRecord(source: Source, { metrics, backends, homes }: SourceParts): Promise<SourceRecord> {
  const { account_id, enable_spooling, home_id, ...shown } = source
  const home = await homes.of(source)
  const where = { home: home?.token ?? null, home_type: home?.type ?? 'warehouse' }
  return { ...shown, ...where, backends: await backends.of(source), metrics: metrics.of(source.token) }
}
