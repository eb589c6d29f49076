/** What a shorter retention would delete, counted. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useApi } from '../../api/client.tsx'
import { exactCount } from '../../design/numbers.ts'
import { useDeferred } from '../../shell/deferred.ts'
import type { Draft } from './draft.ts'

const DAY_MS = 86_400_000
const TYPING_MS = 300

export function RetentionWarning({ draft }: { draft: Draft }) {
  const { token, retention_days: before } = draft.source
  const days = draft.value('retention_days') ?? before
  const isShorter = Number.isInteger(days) && days >= 1 && days < before
  const settledDays = useDeferred(days, TYPING_MS)
  const api = useApi()
  const oldest = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 16)
  const count = useQuery({
    queryKey: ['sources', token, 'older', settledDays],
    enabled: isShorter && settledDays === days,
    queryFn: async ({ signal }): Promise<number> => {
      const first = new Date(Date.now() - before * DAY_MS).toISOString().slice(0, 16)
      const query = new URLSearchParams({ lql: `t:${first}..${oldest} c:count(*) c:group_by(t::day)` })
      const chart = await api.get<{ buckets: { value: number }[] }>(
        `/api/sources/${token}/search/chart?${query}`,
        signal,
      )
      return chart.buckets.reduce((sum, { value }) => sum + value, 0)
    },
  })
  if (!isShorter) return null
  return (
    <div role="status" className="flex items-start gap-2 rounded-base bg-warn-soft px-3 py-2 text-warn">
      <TriangleAlert size={14} className="mt-[3px] shrink-0" aria-hidden />
      <p>
        Saving this deletes all events before {oldest.replace('T', ' ')} UTC
        {count.data !== undefined && `: ${exactCount(count.data)} ${count.data === 1 ? 'event' : 'events'} now`}. They
        cannot be brought back.
      </p>
    </div>
  )
}
