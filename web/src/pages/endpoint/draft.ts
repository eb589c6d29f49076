/** The settings of an endpoint as a form holds them, and back. */
import type { EndpointRecord, EndpointSettings } from '../../api/records.ts'

export type Draft = Omit<
  EndpointSettings,
  'description' | 'labels' | 'cache_duration_seconds' | 'proactive_requerying_seconds' | 'max_limit'
> & {
  description: string
  labels: string
  cache_duration_seconds: string
  proactive_requerying_seconds: string
  max_limit: string
}

export function draftOf(endpoint: EndpointRecord | null, query: string): Draft {
  if (!endpoint)
    return {
      name: '',
      description: '',
      query,
      language: 'bq_sql',
      backend_id: null,
      // What is published without a second thought should not be open to everybody.
      enable_auth: true,
      sandboxable: false,
      cache_duration_seconds: '3600',
      proactive_requerying_seconds: '0',
      max_limit: '1000',
      redact_pii: false,
      enable_dynamic_reservation: false,
      labels: '',
    }
  const { name, language, backend_id, enable_auth, sandboxable, redact_pii, enable_dynamic_reservation } = endpoint
  return {
    ...{ name, language, backend_id, enable_auth, sandboxable, redact_pii, enable_dynamic_reservation },
    query: endpoint.query,
    description: endpoint.description ?? '',
    labels: endpoint.labels ?? '',
    cache_duration_seconds: String(endpoint.cache_duration_seconds),
    proactive_requerying_seconds: String(endpoint.proactive_requerying_seconds),
    max_limit: String(endpoint.max_limit),
  }
}

export const settingsOf = (draft: Draft): EndpointSettings => ({
  ...draft,
  cache_duration_seconds: Number(draft.cache_duration_seconds),
  proactive_requerying_seconds: Number(draft.proactive_requerying_seconds),
  max_limit: Number(draft.max_limit),
})
