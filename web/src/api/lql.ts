/** LQL that is checked while it is typed. */
import { useQuery } from '@tanstack/react-query'
import { useDeferred } from '../shell/deferred.ts'
import { useApi } from './client.tsx'
import { sentenceOfError } from './request.ts'

export type LqlCheck =
  | { state: 'empty' }
  | { state: 'checking' }
  | { state: 'good' }
  /** It can be read, but names something the source does not have (yet). */
  | { state: 'doubtful'; sentence: string }
  | { state: 'bad'; sentence: string }

const TYPING_MS = 250

/** `token` is the source whose fields it is compared with. */
export function useLqlCheck(lql: string, token: string): LqlCheck {
  const api = useApi()
  const settled = useDeferred(lql.trim(), TYPING_MS)
  const check = useQuery({
    queryKey: ['lql', token, settled],
    enabled: settled !== '',
    staleTime: 60_000,
    retry: false,
    queryFn: async ({ signal }): Promise<LqlCheck> => {
      const path = `/api/lql/parse?${new URLSearchParams({ lql: settled })}`
      const known = await api.request('GET', `${path}&source=${token}`, { signal })
      if (known.ok) return { state: 'good' }
      const read = await api.request('GET', path, { signal })
      const sentence = sentenceOfError(known.problem)
      return read.ok ? { state: 'doubtful', sentence } : { state: 'bad', sentence }
    },
  })
  if (lql.trim() === '') return { state: 'empty' }
  return (settled === lql.trim() && check.data) || { state: 'checking' }
}
