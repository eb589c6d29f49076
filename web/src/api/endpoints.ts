/** Endpoints as the pages read and change them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { EndpointRecord, EndpointSettings, EndpointSnapshot, EndpointUse, EndpointVersion } from './records.ts'

const ENDPOINTS = ['endpoints']

export function useEndpoints() {
  const api = useApi()
  return useQuery({
    queryKey: ENDPOINTS,
    queryFn: ({ signal }) => api.get<EndpointRecord[]>('/api/endpoints', signal),
  })
}

export function useEndpoint(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: [...ENDPOINTS, token],
    queryFn: ({ signal }) => api.get<EndpointRecord>(`/api/endpoints/${token}`, signal),
  })
}

/** How they were called in the last seven days, by token. */
export function useEndpointUse() {
  const api = useApi()
  return useQuery({
    queryKey: [...ENDPOINTS, 'stats'],
    queryFn: async ({ signal }) => {
      const uses = await api.get<EndpointUse[]>('/api/endpoints/stats', signal)
      return new Map(uses.map((use) => [use.endpoint, use]))
    },
  })
}

export function useVersions(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: [...ENDPOINTS, token, 'versions'],
    queryFn: ({ signal }) => api.get<EndpointVersion[]>(`/api/endpoints/${token}/versions`, signal),
  })
}

/** A version never changes once it is written. */
export function useVersion(token: string, version: number) {
  const api = useApi()
  return useQuery({
    queryKey: [...ENDPOINTS, token, 'versions', version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.get<EndpointSnapshot>(`/api/endpoints/${token}/versions/${version}`, signal),
  })
}

/** Creates without a token, changes with one. */
export function useSaveEndpoint(token: string | null) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (fields: Partial<EndpointSettings>) =>
      token === null
        ? api.post<EndpointRecord>('/api/endpoints', fields)
        : api.put<EndpointRecord>(`/api/endpoints/${token}`, fields),
    // Not waited for: what shows the new version replaces the form, and with it whoever waits to be told.
    onSuccess: () => void queries.invalidateQueries({ queryKey: ENDPOINTS }),
  })
}

export function useRestoreVersion(token: string) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (version: number) =>
      api.post<EndpointRecord>(`/api/endpoints/${token}/versions/${version}/restore`, {}),
    // Not waited for: what shows the new version replaces the form, and with it whoever waits to be told.
    onSuccess: () => void queries.invalidateQueries({ queryKey: ENDPOINTS }),
  })
}

export function useDeleteEndpoint() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => api.remove(`/api/endpoints/${token}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ENDPOINTS, exact: true }),
  })
}
