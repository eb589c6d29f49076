/** Queries in SQL: running one, taking its rows away as a file, and the log of what ran. */
import { useQuery } from '@tanstack/react-query'
import { useApi } from './client.tsx'
import type { BackendRecord, LoggedQuery } from './records.ts'

const LINES = 200

export function useQueryLog({ endpoint, isWanted = true }: { endpoint?: string; isWanted?: boolean } = {}) {
  const api = useApi()
  return useQuery({
    queryKey: ['queries', endpoint ?? ''],
    enabled: isWanted,
    queryFn: ({ signal }) =>
      api.get<LoggedQuery[]>(`/api/queries?limit=${LINES}${endpoint ? `&endpoint=${endpoint}` : ''}`, signal),
  })
}

export function useBackends() {
  const api = useApi()
  return useQuery({
    queryKey: ['backends'],
    queryFn: ({ signal }) => api.get<BackendRecord[]>('/api/backends', signal),
  })
}

/** Types of backends that can be asked, each in its own dialect. */
const QUERYABLE = new Map([
  ['postgres', 'PostgreSQL'],
  ['clickhouse', 'ClickHouse'],
  ['bigquery', 'BigQuery'],
])

/** The engines a query can run on; the first is the service's own. */
export function useEngines(): { value: string; label: string; hint?: string }[] {
  const backends = useBackends().data ?? []
  return [
    { value: '', label: 'Millrace' },
    ...backends.flatMap(({ id, name, type }) => {
      const engine = QUERYABLE.get(type)
      return engine ? [{ value: String(id), label: name, hint: engine }] : []
    }),
  ]
}

/** Hands a finished file to the browser. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The download has begun; the browser keeps what it needs.
  setTimeout(() => URL.revokeObjectURL(link.href), 0)
}
