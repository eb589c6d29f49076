/** Asks the service what the settings of a draft would do to an event. Nothing is stored. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/client.tsx'
import type { LogEvent } from '../../api/records.ts'
import { useDeferred } from '../../shell/deferred.ts'
import type { Changes } from './draft.ts'

export type Previewed = {
  before: Record<string, unknown>
  after: Record<string, unknown> | null
  dropped: boolean
  problems: { field: string; message: string }[]
}

const TYPING_MS = 250
const PIPELINE = [
  'transform_copy_fields',
  'transform_key_values',
  'transform_drop_fields',
  'custom_event_message_keys',
  'drop_lql_string',
  'retention_days',
  'lock_schema',
] as const

/** The newest events of a source, newest first. */
export function useRecent(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['recent', token],
    queryFn: async ({ signal }) => (await api.get<LogEvent[]>(`/api/sources/${token}/recent`, signal)).toReversed(),
  })
}

export function usePreview(token: string, changes: Changes, event: Record<string, unknown> | null) {
  const api = useApi()
  const settings = Object.fromEntries(PIPELINE.filter((name) => name in changes).map((name) => [name, changes[name]]))
  const asked = useDeferred(JSON.stringify({ settings, event }), TYPING_MS)
  return useQuery({
    queryKey: ['preview', token, asked],
    enabled: event !== null && !asked.includes('"event":null'),
    placeholderData: keepPreviousData,
    queryFn: () => api.post<Previewed>(`/api/sources/${token}/preview`, JSON.parse(asked)),
  })
}
