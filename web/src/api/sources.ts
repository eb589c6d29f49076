/** Sources as the pages read and change them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { SavedSearch, SourceRecord } from './records.ts'

const SOURCES = ['sources']
/** Rates are averages over a few seconds; asking more often shows nothing new. */
const REFRESH_MS = 5_000

export function useSources() {
  const api = useApi()
  return useQuery({
    queryKey: SOURCES,
    queryFn: ({ signal }) => api.get<SourceRecord[]>('/api/sources', signal),
    refetchInterval: REFRESH_MS,
  })
}

export function useSource(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: [...SOURCES, token],
    queryFn: ({ signal }) => api.get<SourceRecord>(`/api/sources/${token}`, signal),
  })
}

export type NewSourceFields = {
  name: string
  description?: string
  service_name?: string
  retention_days?: number
}

export function useCreateSource() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (fields: NewSourceFields) => api.post<SourceRecord>('/api/sources', fields),
    onSuccess: () => queries.invalidateQueries({ queryKey: SOURCES }),
  })
}

/** Shown at once and put back when the service refuses. */
export function useChangeSource() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ token, changes }: { token: string; changes: Partial<SourceRecord> }) =>
      api.patch(`/api/sources/${token}`, changes),
    async onMutate({ token, changes }) {
      await queries.cancelQueries({ queryKey: SOURCES, exact: true })
      const before = queries.getQueryData<SourceRecord[]>(SOURCES)
      queries.setQueryData<SourceRecord[]>(SOURCES, (sources) =>
        sources?.map((source) => (source.token === token ? { ...source, ...changes } : source)),
      )
      return { before }
    },
    onError: (_error, _change, context) => queries.setQueryData(SOURCES, context?.before),
    onSettled: () => queries.invalidateQueries({ queryKey: SOURCES }),
  })
}

export function useSavedSearches(token: string, isWanted = true) {
  const api = useApi()
  return useQuery({
    queryKey: ['saved-searches', token],
    enabled: isWanted,
    queryFn: ({ signal }) => api.get<SavedSearch[]>(`/api/sources/${token}/saved-searches`, signal),
  })
}

/** A token that may only send to one source. Its value is in this answer and nowhere else. */
export function useCreateIngestToken() {
  const api = useApi()
  return useMutation({
    mutationFn: async ({ token, name }: { token: string; name: string }) => {
      const made = await api.post<{ token: string }>('/api/access-tokens', {
        description: `sends to ${name}`.slice(0, 255),
        scopes: `ingest:source:${token}`,
      })
      return made.token
    },
  })
}
