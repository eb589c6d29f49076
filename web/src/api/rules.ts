/** Rules that copy events of a source to another one, or to a backend. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { RuleRecord } from './records.ts'

const RULES = ['rules']

export function useRules() {
  const api = useApi()
  return useQuery({ queryKey: RULES, queryFn: ({ signal }) => api.get<RuleRecord[]>('/api/rules', signal) })
}

export type RuleFields = Pick<RuleRecord, 'source' | 'lql_string' | 'sink' | 'backend_id'>

/** Makes a rule, or changes the one with this token. */
export function useSaveRule(token: string | null) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (fields: RuleFields) =>
      token === null ? api.post<RuleRecord>('/api/rules', fields) : api.put<RuleRecord>(`/api/rules/${token}`, fields),
    onSuccess: () => queries.invalidateQueries({ queryKey: RULES }),
  })
}

export function useDeleteRule() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => api.remove(`/api/rules/${token}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: RULES }),
  })
}
