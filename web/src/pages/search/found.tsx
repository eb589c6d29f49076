/** What stands around the events: how many there are, that there are none, or why none came. */

import { Link } from '@tanstack/react-router'
import { CircleSlash, Inbox, Radio, SearchX } from 'lucide-react'
import type { SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { exactCount } from '../../design/numbers.ts'
import { EmptyState, Loading } from '../../design/states.tsx'
import { Elapsed } from './elapsed.tsx'
import { timeOf, withTime } from './lql-text.ts'
import { missingKeysOf } from './missing-keys.tsx'
import type { useEvents } from './results.ts'

type Query = ReturnType<typeof useEvents>['query']

type FoundProps = {
  query: Query
  shown: number
  /** Of all events in the chart; null when it counts something else. */
  total: number | null
  isStopped: boolean
}

export function Found({ query, shown, total, isStopped }: FoundProps) {
  if (isStopped) return <span>Cancelled</span>
  if (query.isPending) return <Elapsed />
  const first = query.data?.pages[0]
  if (query.isError && !first) return <span>Not searched</span>
  return (
    <>
      <span className="tabular-nums">
        {exactCount(shown)} shown{query.hasNextPage ? ', more below' : ''}
      </span>
      {total !== null && <span className="text-faint tabular-nums">{exactCount(total)} in the chart</span>}
      {first && <span className="text-faint tabular-nums">{Math.round(first.ms)} ms</span>}
      {first?.warnings?.map((warning) => (
        <span key={warning} className="text-warn">
          {warning}
        </span>
      ))}
    </>
  )
}

type NothingProps = {
  query: Query
  isStopped: boolean
  isLive: boolean
  source: SourceRecord
  lql: string
  onAsk(lql: string): void
}

export function NothingFound({ query, isStopped, isLive, source, lql, onAsk }: NothingProps) {
  if (isStopped) {
    return (
      <EmptyState
        icon={CircleSlash}
        title="The search was cancelled"
        action={<Button onClick={() => onAsk(lql)}>Search again</Button>}
      >
        A narrower time or one more filter makes a search quicker.
      </EmptyState>
    )
  }
  if (query.isPending) return <Loading rows={12} label="Searching" />
  if (query.isError) {
    const missing = missingKeysOf(query.error)
    if (missing) {
      return (
        <EmptyState
          icon={SearchX}
          title="Not searched yet"
          action={<Button onClick={() => onAsk(lql)}>Add the keys</Button>}
        >
          {missing.sentence}
        </EmptyState>
      )
    }
    // The sentence itself stands below the query, beside the place it speaks of.
    return (
      <EmptyState
        icon={SearchX}
        title="Nothing was searched"
        action={<Button onClick={() => onAsk(lql)}>Try again</Button>}
      >
        The service refused the query; the reason stands above.
      </EmptyState>
    )
  }
  if (isLive) {
    return (
      <EmptyState icon={Radio} title="Waiting for events">
        Nothing matches yet. Events appear here as soon as they arrive.
      </EmptyState>
    )
  }
  if (lql === '' && source.metrics.total === 0) {
    return (
      <EmptyState
        icon={Inbox}
        title="This source has no events yet"
        action={
          <Link to={`/sources/${source.token}/send`} className={buttonClasses('primary')}>
            Send events
          </Link>
        }
      />
    )
  }
  return (
    <EmptyState
      icon={SearchX}
      title="No event matches"
      action={
        timeOf(lql) !== '' && (
          <Button onClick={() => onAsk(withTime(lql, ''))}>
            Search all that is kept ({source.retention_days} days)
          </Button>
        )
      }
    >
      {timeOf(lql) === ''
        ? 'Nothing that this source keeps matches the query.'
        : 'Nothing in this time matches the query.'}
    </EmptyState>
  )
}

/** Below the last event that was loaded. */
export function TheEnd({ query }: { query: Query }) {
  if (query.isFetchNextPageError) {
    return (
      <p role="alert" className="flex items-center gap-3 px-4 py-3 text-danger">
        {sentenceOfError(query.error)}
        <Button size="small" onClick={() => query.fetchNextPage()}>
          Try again
        </Button>
      </p>
    )
  }
  return (
    <p className="px-4 py-3 text-small text-faint">
      {query.hasNextPage ? 'Loading older events …' : 'There are no older events.'}
    </p>
  )
}
