/**
 * Backends: receivers outside that get the events of sources.
 *
 * Promises: every event of an attached source, from the moment of attaching, reaches the receiver at least once, over
 * restarts of either side; ingest never waits for a receiver; secrets are sealed on disk and never shown.
 * Refuses: configurations that do not hold (`InvalidRecord`, by field), and metadata addresses of clouds, always.
 * A new type is a folder like the others and a line here.
 */
import { InvalidRecord } from '../base/faults.ts'
import type { Backend, BackendRecord } from '../model/backend.ts'
import type { BackendType } from '../model/backend-type.ts'
import { check } from '../model/check.ts'
import { bigquery } from './bigquery/bigquery.ts'
import { clickhouse } from './clickhouse/clickhouse.ts'
import { datadog } from './datadog/datadog.ts'
import { describeKind } from './describe.ts'
import { elastic } from './elastic/elastic.ts'
import type { Kind, Options } from './kind.ts'
import { loki } from './loki/loki.ts'
import { otlp } from './otlp/otlp.ts'
import { postgres } from './postgres/postgres.ts'
import { redact, restore } from './redaction.ts'
import { s3 } from './s3/s3.ts'
import { securityAnalytics } from './security-analytics/security-analytics.ts'
import { syslog } from './syslog/syslog.ts'
import { webhook } from './webhook/webhook.ts'

const KINDS: readonly Kind[] = [
  ...[webhook, syslog, elastic, securityAnalytics, loki, datadog, otlp, s3],
  ...[postgres, clickhouse, bigquery],
]

export const BACKEND_TYPES: readonly string[] = KINDS.map(({ type }) => type)

/** What forms need to know, made when it is asked for. */
export const backendTypes = (): BackendType[] => KINDS.map(describeKind)

export function kindOf(type: string): Kind {
  const kind = KINDS.find((one) => one.type === type)
  if (!kind) throw new InvalidRecord({ type: [`must be one of ${BACKEND_TYPES.join(', ')}`] })
  return kind
}

/** The config to store: what was sent over what is stored, with defaults, checked. */
export function settleConfig(type: string, sent: Options, stored: Options = {}): Options {
  const kind = kindOf(type)
  const merged = Object.entries({ ...stored, ...restore(kind, sent, stored) }).filter(([, value]) => value !== null)
  try {
    const config = check(kind.options, Object.fromEntries(merged))
    return typeof config === 'object' && config !== null ? { ...config } : {}
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error
    const errors = Object.entries(error.errors).map(([field, texts]) => [`config.${field}`, texts])
    throw new InvalidRecord(Object.fromEntries(errors))
  }
}

export function backendRecord({ account_id: _account, ...backend }: Backend): BackendRecord {
  return { ...backend, config: redact(kindOf(backend.type), backend.config) }
}
