/** Backends as the pages read and change them. */
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { BackendRecord, BackendStatus, BackendType, SourceRecord } from './records.ts'

const BACKENDS = ['backends']
const REFRESH_MS = 2_000

export type BackendFields = {
  name: string
  description: string | null
  type: string
  config: Record<string, unknown>
}

export type DeadLetter = { id: number; at: string; source: string; reason: string; event: Record<string, unknown> }

/** `message` says for people what `reason` says for programs. */
export type Connection = { 'connected?': boolean; reason?: string; message?: string }

export type Retried = { delivered: number; remaining: number; error: string | null }

export type AttachedRule = { id: number; lql_string: string; source: string }

export function useBackends() {
  const api = useApi()
  return useQuery({
    queryKey: BACKENDS,
    queryFn: ({ signal }) => api.get<BackendRecord[]>('/api/backends', signal),
  })
}

export function useBackend(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: [...BACKENDS, token],
    queryFn: ({ signal }) => api.get<BackendRecord>(`/api/backends/${token}`, signal),
  })
}

/** What the form of each type is made of; changes only with the service itself. */
export function useBackendTypes() {
  const api = useApi()
  return useQuery({
    queryKey: ['backend-types'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.get<BackendType[]>('/api/backends/types', signal),
  })
}

function statusOf(api: ReturnType<typeof useApi>, token: string) {
  return {
    queryKey: [...BACKENDS, token, 'status'],
    queryFn: ({ signal }: { signal: AbortSignal }) => api.get<BackendStatus>(`/api/backends/${token}/status`, signal),
    refetchInterval: REFRESH_MS,
  }
}

export function useBackendStatus(token: string) {
  return useQuery(statusOf(useApi(), token))
}

export function useBackendStatuses(tokens: readonly string[]): ReadonlyMap<string, BackendStatus> {
  const api = useApi()
  const answers = useQueries({ queries: tokens.map((token) => statusOf(api, token)) })
  return new Map(answers.flatMap(({ data }, index) => (data ? [[tokens[index] ?? '', data]] : [])))
}

export function useDeadLetters(token: string, count: number) {
  const api = useApi()
  return useQuery({
    queryKey: [...BACKENDS, token, 'dead-letters', count],
    queryFn: ({ signal }) => api.get<DeadLetter[]>(`/api/backends/${token}/dead-letters`, signal),
    placeholderData: (before) => before,
  })
}

export function useRulesTo(id: number | undefined) {
  const api = useApi()
  return useQuery({
    queryKey: ['rules', 'backend', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => api.get<AttachedRule[]>(`/api/rules?backend_id=${id}`, signal),
  })
}

/** A change of backends, after which whatever shows them is asked for again. */
function useBackendChange<Given, Answer>(change: (api: ReturnType<typeof useApi>, given: Given) => Promise<Answer>) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (given: Given) => change(api, given),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: BACKENDS })
      await queries.invalidateQueries({ queryKey: ['sources'] })
    },
  })
}

export const useCreateBackend = () =>
  useBackendChange((api, fields: BackendFields) => api.post<BackendRecord>('/api/backends', fields))

export const useUpdateBackend = (token: string) =>
  useBackendChange((api, fields: BackendFields) => api.put<BackendRecord>(`/api/backends/${token}`, fields))

export function useDeleteBackend(token: string) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => api.remove(`/api/backends/${token}`),
    // Not its own record: the page that shows it is about to leave, and would be told that it is gone.
    onSuccess: () => queries.invalidateQueries({ queryKey: BACKENDS, exact: true }),
  })
}

export const useAttach = (token: string) =>
  useBackendChange((api, source: string) => api.post(`/api/sources/${source}/backends/${token}`))

export const useDetach = (token: string) =>
  useBackendChange((api, source: string) => api.remove(`/api/sources/${source}/backends/${token}`))

export const useRetryLetters = (token: string) =>
  useBackendChange((api, _nothing: null) => api.post<Retried>(`/api/backends/${token}/dead-letters/retry`))

export const useDiscardLetters = (token: string) =>
  useBackendChange((api, _nothing: null) => api.remove(`/api/backends/${token}/dead-letters`))

export function useTestConnection(token: string) {
  const api = useApi()
  return useMutation({ mutationFn: () => api.post<Connection>(`/api/backends/${token}/test`) })
}

export const attachedTo = (token: string, sources: readonly SourceRecord[]): SourceRecord[] =>
  sources.filter(({ backends }) => backends.some((backend) => backend.token === token))

/** Sources whose events live there. */
export const livingIn = (token: string, sources: readonly SourceRecord[]): SourceRecord[] =>
  sources.filter(({ home }) => home === token)
