/** What the service finds for a search: pages of events, the chart, values of fields, and what it says about a text. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/client.tsx'
import type { LogEvent } from '../../api/records.ts'
import type { Api } from '../../api/request.ts'
import type { LqlSource, Suggestions } from '../../editor/lql.ts'
import type { Search } from './address.ts'

/** The first page shall come soon; later ones are read ahead of the scrolling. */
const FIRST_PAGE = 200
const NEXT_PAGE = 1000
const LIVE_CHART_MS = 5_000

type Page = { events: LogEvent[]; next: string | null; lql: string; range: [number, number]; warnings?: string[] }
export type TimedPage = Page & { ms: number }

/** Answers of a search are of one moment: they are not fetched again until somebody searches again. */
const ONE_MOMENT = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 10_000,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  // Comparing a hundred thousand events with those before would stop the page for a second.
  structuralSharing: false,
} as const

export function askedWith({ lql, zone, isForced }: Search): URLSearchParams {
  return new URLSearchParams({ lql, tz: zone, ...(isForced ? { force: 'true' } : {}) })
}

const keyOf = (kind: string, { token, lql, zone, isForced, run }: Search): unknown[] => [
  kind,
  token,
  lql,
  zone,
  isForced,
  run,
]

export function useEvents(search: Search) {
  const api = useApi()
  const queries = useQueryClient()
  const queryKey = keyOf('search', search)
  const query = useInfiniteQuery({
    ...ONE_MOMENT,
    queryKey,
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }): Promise<TimedPage> => {
      const asked = askedWith(search)
      asked.set('limit', String(pageParam === '' ? FIRST_PAGE : NEXT_PAGE))
      if (pageParam !== '') asked.set('before', pageParam)
      const startedAt = performance.now()
      const page = await api.get<Page>(`/api/sources/${search.token}/search?${asked}`, signal)
      return { ...page, ms: performance.now() - startedAt }
    },
    getNextPageParam: ({ next }) => next,
  })
  const pages = query.data?.pages
  const events = useMemo(() => pages?.flatMap((page) => page.events) ?? [], [pages])
  return {
    query,
    events,
    first: pages?.[0] ?? null,
    /** Nothing runs and nothing came: somebody stopped it. */
    isStopped: query.isPending && query.fetchStatus === 'idle',
    stop: () => queries.cancelQueries({ queryKey }),
  }
}

export type Bucket = { timestamp: number; value: number | string; [key: string]: number | string }
export type Chart = {
  period: string
  buckets: Bucket[]
  range: [number, number] | null
  lql: string
  breakdown: { field: string; keys: string[] } | null
  warnings?: string[]
}

export function useChart(search: Search, { isLive }: { isLive: boolean }) {
  const api = useApi()
  return useQuery({
    ...ONE_MOMENT,
    queryKey: keyOf('search-chart', search),
    queryFn: ({ signal }) => api.get<Chart>(`/api/sources/${search.token}/search/chart?${askedWith(search)}`, signal),
    refetchInterval: isLive ? LIVE_CHART_MS : false,
    placeholderData: (before) => before,
  })
}

export type Facet = { field: string; values: { value: unknown; count: number }[]; more: boolean }
export type Facets = { facets: Facet[]; total: number; approximate: boolean }

export function useFacet(search: Search, field: string) {
  const api = useApi()
  return useQuery({
    ...ONE_MOMENT,
    queryKey: [...keyOf('search-facet', search), field],
    queryFn: ({ signal }) => {
      const asked = askedWith(search)
      asked.set('fields', field)
      return api.get<Facets>(`/api/sources/${search.token}/search/facets?${asked}`, signal)
    },
  })
}

/** Paths with their types, nested ones with dots. */
export function useSchema(token: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['schema', token],
    queryFn: ({ signal }) => api.get<Record<string, string>>(`/api/sources/${token}/schema?variant=dot`, signal),
    refetchInterval: 30_000,
  })
}

export function useEvent(token: string, id: string, timestamp: string) {
  const api = useApi()
  return useQuery({
    ...ONE_MOMENT,
    queryKey: ['event', token, id],
    queryFn: ({ signal }) => api.get<LogEvent>(`/api/sources/${token}/events/${pathTo(id, timestamp)}`, signal),
  })
}

export type Context = { before: LogEvent[]; event: LogEvent; after: LogEvent[] }

export function useContextOf(token: string, { id, timestamp }: LogEvent) {
  const api = useApi()
  return useQuery({
    ...ONE_MOMENT,
    queryKey: ['event-context', token, id],
    queryFn: ({ signal }) =>
      api.get<Context>(`/api/sources/${token}/events/${pathTo(id, String(timestamp), '/context')}`, signal),
  })
}

const pathTo = (id: string, timestamp: string, more = ''): string =>
  `${encodeURIComponent(id)}${more}${timestamp === '' ? '' : `?timestamp=${timestamp}`}`

/** What the editor asks the service while somebody types. */
export function lqlSourceOf(api: Api, token: string, submit: (text: string) => void): LqlSource {
  return {
    suggest: (lql, position, signal) =>
      api.get<Suggestions>(
        `/api/sources/${token}/suggest?${new URLSearchParams({ lql, position: String(position) })}`,
        signal,
      ),
    async problem(lql) {
      const outcome = await api.request('GET', `/api/lql/parse?${new URLSearchParams({ lql, source: token })}`)
      if (outcome.ok) return null
      const { message, details } = outcome.problem
      if (typeof details.position !== 'number') return null
      return { message, position: details.position, found: String(details.found ?? '') }
    },
    submit,
  }
}
