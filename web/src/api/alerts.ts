/** Alerts as the pages read, change and run them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { AlertRecord, AlertRun, AlertSettings, Row } from './records.ts'

const ALERTS = ['alerts']
/** Nothing runs more often than once a minute. */
const REFRESH_MS = 15_000

export function useAlerts() {
  const api = useApi()
  return useQuery({
    queryKey: ALERTS,
    queryFn: ({ signal }) => api.get<AlertRecord[]>('/api/alerts', signal),
    refetchInterval: REFRESH_MS,
  })
}

export function useAlert(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: [...ALERTS, token],
    queryFn: ({ signal }) => api.get<AlertRecord>(`/api/alerts/${token}`, signal),
    refetchInterval: REFRESH_MS,
  })
}

export function useAlertRuns(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: [...ALERTS, token, 'runs'],
    queryFn: ({ signal }) => api.get<AlertRun[]>(`/api/alerts/${token}/runs`, signal),
    refetchInterval: REFRESH_MS,
  })
}

/** Creates without a token, changes with one. */
export function useSaveAlert(token: string | null) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (fields: Partial<AlertSettings>) =>
      token === null
        ? api.post<AlertRecord>('/api/alerts', fields)
        : api.put<AlertRecord>(`/api/alerts/${token}`, fields),
    // Not waited for: what shows the new version replaces the form, and with it whoever waits to be told.
    onSuccess: () => void queries.invalidateQueries({ queryKey: ALERTS }),
  })
}

export function useDeleteAlert() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => api.remove(`/api/alerts/${token}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ALERTS, exact: true }),
  })
}

export type Ran = { result: Row[]; fired?: boolean; run?: number | null }

/** With `notify` it is a run like any other: it is in the history, and the alert's places are told when it fires. */
export function useRunAlert(token: string) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ notify }: { notify: boolean }) =>
      api.post<Ran>(`/api/alerts/${token}/run${notify ? '?notify=true' : ''}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ALERTS }),
  })
}
