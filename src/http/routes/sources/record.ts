import type { Source, SourceMetrics, SourceRecord } from '../../../model/source.ts'

/** What a source record shows beside the stored settings. */
export type SourceParts = {
  metrics: { of(sourceToken: string): SourceMetrics }
  backends: { of(source: Source): Promise<Record<string, unknown>[]> }
}

export async function sourceRecord(source: Source, { metrics, backends }: SourceParts): Promise<SourceRecord> {
  const { account_id, enable_spooling, ...shown } = source
  return { ...shown, backends: await backends.of(source), metrics: metrics.of(source.token) }
}
