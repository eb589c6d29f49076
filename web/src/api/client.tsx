/** The one connection of a running interface to its service: requests, the cache of answers, and who is logged in. */
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import type { Session, Setup } from './records.ts'
import { type Api, createApi, Problem } from './request.ts'

export type Client = { api: Api; queries: QueryClient }

const SESSION = ['session']
const RETRIES = 2

export function createClient(): Client {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refusal stays a refusal; only what did not reach the service, or hurt it, is tried again.
        retry: (count, error) =>
          count < RETRIES && error instanceof Problem && (error.status === 0 || error.status >= 500),
      },
    },
  })
  const api = createApi({
    csrfToken: () => queries.getQueryData<Session | null>(SESSION)?.csrf_token ?? '',
    onUnauthorized: () => queries.setQueryData(SESSION, null),
  })
  return { api, queries }
}

const ApiContext = createContext<Api | null>(null)

export function ClientProvider({ client, children }: { client: Client; children: ReactNode }) {
  return (
    <ApiContext.Provider value={client.api}>
      <QueryClientProvider client={client.queries}>{children}</QueryClientProvider>
    </ApiContext.Provider>
  )
}

export function useApi(): Api {
  const api = useContext(ApiContext)
  if (api === null) throw new Error('useApi needs a ClientProvider above it')
  return api
}

/** Who is logged in; null when nobody is. */
export function useSession() {
  const api = useApi()
  return useQuery({
    queryKey: SESSION,
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Session | null> => {
      const outcome = await api.request<Session>('GET', '/api/session', { signal })
      if (outcome.ok) return outcome.value
      if (outcome.problem.status === 401) return null
      throw outcome.problem
    },
  })
}

/** Called with the answer of a log-in, or with null after a log-out: everything known of the old session is forgotten. */
export function keepSession(queries: QueryClient, session: Session | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] && queryKey[0] !== 'setup' })
  queries.setQueryData(SESSION, session)
}

export function useSetup() {
  const api = useApi()
  return useQuery({ queryKey: ['setup'], queryFn: ({ signal }) => api.get<Setup>('/api/setup', signal) })
}
