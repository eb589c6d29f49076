/** Access tokens, and what they can be tied to. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/client.tsx'
import type { TokenRecord } from '../../api/records.ts'

const TOKENS = ['access-tokens']
/** Their last use is noted once a minute. */
const REFRESH_MS = 30_000

export function useTokens() {
  const api = useApi()
  return useQuery({
    queryKey: TOKENS,
    queryFn: ({ signal }) => api.get<TokenRecord[]>('/api/access-tokens', signal),
    refetchInterval: REFRESH_MS,
  })
}

/** With its value, which is in this answer and nowhere else. */
export type MadeToken = TokenRecord & { token: string }

export function useCreateToken() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (fields: { description: string; scopes: string }) => api.post<MadeToken>('/api/access-tokens', fields),
    onSuccess: () => queries.invalidateQueries({ queryKey: TOKENS }),
  })
}

export function useRevokeToken() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => api.remove(`/api/access-tokens/${id}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: TOKENS }),
  })
}

export type Named = { token: string; name: string }

export function useEndpointNames() {
  const api = useApi()
  return useQuery({
    queryKey: ['endpoints'],
    queryFn: ({ signal }) => api.get<Named[]>('/api/endpoints', signal),
  })
}
