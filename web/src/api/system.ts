/** The state of the service, what runs, what ran, and who changed what. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { AuditEntry, LoggedQuery, RunningQuery, SystemRecord } from './records.ts'

const REFRESH_MS = 5_000
/** Queries come and go faster. */
const RUNNING_REFRESH_MS = 2_000
const PAGE = 100

export function useSystem() {
  const api = useApi()
  return useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => api.get<SystemRecord>('/api/system', signal),
    refetchInterval: REFRESH_MS,
  })
}

export function useRunningQueries() {
  const api = useApi()
  return useQuery({
    queryKey: ['running-queries'],
    queryFn: ({ signal }) => api.get<RunningQuery[]>('/api/queries/running', signal),
    refetchInterval: RUNNING_REFRESH_MS,
  })
}

export function useCancelQuery() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => api.remove(`/api/queries/running/${id}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['running-queries'] }),
  })
}

export function useQueryLog() {
  const api = useApi()
  return useQuery({
    queryKey: ['query-log', 'newest'],
    queryFn: ({ signal }) => api.get<LoggedQuery[]>(`/api/queries?limit=${PAGE}`, signal),
    refetchInterval: REFRESH_MS,
  })
}

export function useAuditLog(isWanted: boolean) {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: ['audit'],
    enabled: isWanted,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      api.get<AuditEntry[]>(`/api/audit?limit=${PAGE}${pageParam > 0 ? `&before=${pageParam}` : ''}`, signal),
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
  })
}
