/** Backends as this page reads them, and which of them get all events of a source. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/client.tsx'
import type { BackendRecord } from '../../api/records.ts'

export function useBackends() {
  const api = useApi()
  return useQuery({
    queryKey: ['backends'],
    queryFn: ({ signal }) => api.get<BackendRecord[]>('/api/backends', signal),
  })
}

export function useAttach(source: string) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ backend, isAttached }: { backend: string; isAttached: boolean }) => {
      const path = `/api/sources/${source}/backends/${backend}`
      if (isAttached) await api.post(path)
      else await api.remove(path)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
}
