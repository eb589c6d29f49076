/** The key-values of the account, page by page, in the order of their keys. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { KeyValue } from './records.ts'
import type { Api } from './request.ts'

const KEY_VALUES = ['key-values']
const PAGE = 100
/** Of one request, when everything is read. */
const PAGE_MAX = 500

export type Entry = Pick<KeyValue, 'key' | 'value'>

const pathOf = (query: Record<string, string | number>): string =>
  `/api/key-values?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]])))}`

export function useKeyValues(search: string) {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: [...KEY_VALUES, search],
    initialPageParam: '',
    queryFn: ({ pageParam: after, signal }) => api.get<KeyValue[]>(pathOf({ limit: PAGE, search, after }), signal),
    getNextPageParam: (page) => (page.length === PAGE ? page.at(-1)?.key : undefined),
  })
}

/** Everything there is, for a file. */
export async function readAll(api: Api, search: string): Promise<Entry[]> {
  const all: Entry[] = []
  for (;;) {
    const page = await api.get<KeyValue[]>(pathOf({ limit: PAGE_MAX, search, after: all.at(-1)?.key ?? '' }))
    all.push(...page.map(({ key, value }) => ({ key, value })))
    if (page.length < PAGE_MAX) return all
  }
}

export function usePutEntries() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (entries: Entry[]) => api.post<{ inserted_count: number }>('/api/key-values', entries),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY_VALUES }),
  })
}

export function useDeleteEntries() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (keys: string[]) => api.remove('/api/key-values', { keys }),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY_VALUES }),
  })
}
