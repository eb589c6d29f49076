/** Search in one source: the query, its chart, its events, its fields, and what comes in right now. */
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { LogEvent, SourceRecord } from '../../api/records.ts'
import { useSource } from '../../api/sources.ts'
import { Drawer } from '../../design/dialog.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useParam, useTitle } from '../../shell/address.ts'
import { useAddress } from './address.ts'
import { EventDrawer } from './event-drawer.tsx'
import { selectedIn } from './event-fields.ts'
import { EventList } from './event-list.tsx'
import { FieldPanel } from './field-panel.tsx'
import { Found, NothingFound, TheEnd } from './found.tsx'
import { Histogram, totalOf } from './histogram.tsx'
import { useLive } from './live.ts'
import { rangeText, withFilter, withTime } from './lql-text.ts'
import { MissingKeysDialog, missingKeysOf } from './missing-keys.tsx'
import { QueryBar } from './query-bar.tsx'
import { useChart, useEvents, useSchema } from './results.ts'
import { SavedSearches } from './saved-searches.tsx'
import { StatusLine } from './status-line.tsx'
import { TakeAway } from './take-away.tsx'

export function Page() {
  const token = useParam('token')
  const source = useSource(token)
  if (source.isPending) return <Loading label="Loading the source" />
  if (source.isError) return <ErrorState error={source.error} onRetry={() => source.refetch()} />
  return <SearchPage key={token} source={source.data} />
}

/** So much of the time before and after an event is searched around it. */
const AROUND_US = 30_000_000

function SearchPage({ source }: { source: SourceRecord }) {
  const { token } = source
  useTitle(`${source.name} · Search`)
  const { search, columns, isLive, isWrapped, openEvent, ...address } = useAddress(token)
  const [text, setText] = useState(search.lql)
  useEffect(() => setText(search.lql), [search.lql])
  const [isPaused, setPaused] = useState(false)
  const [isReading, setReading] = useState(false)
  const [isFieldsOpen, setFieldsOpen] = useState(false)
  const [topMark, setTopMark] = useState(0)
  const [dismissed, setDismissed] = useState<unknown>(null)

  const { query, events: past, first, isStopped, stop } = useEvents(search)
  const chart = useChart(search, { isLive: isLive && !isPaused })
  const schema = useSchema(token)
  const isHeld = isPaused || isReading || openEvent !== null
  // A search of nothing is the default search; a tail of nothing is everything.
  const tailed = search.lql === '' ? (source.default_search_lql ?? '') : search.lql
  const live = useLive({ token, lql: tailed, isOn: isLive && !query.isError, isHeld })
  const events = useMemo(() => joined(live.shown, past), [live.shown, past])
  const shownColumns = useMemo(
    () => [...new Set([...selectedIn(search.lql, past), ...columns])],
    [search.lql, past, columns],
  )
  const missing = query.error === dismissed ? null : missingKeysOf(query.error)

  const { hasNextPage, isFetching, fetchNextPage } = query
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])

  const { ask } = address
  const look = (lql: string, more?: { isLive?: boolean; isForced?: boolean }): void => {
    setText(lql)
    setPaused(false)
    setTopMark((mark) => mark + 1)
    ask(lql, more)
  }
  const searchRange = (fromUs: number, toUs: number): void =>
    look(withTime(search.lql, rangeText(fromUs, toUs)), { isLive: false })
  const filter = (path: string, value: unknown, wanted: 'in' | 'out'): void => {
    setFieldsOpen(false)
    look(withFilter(search.lql, path, value, wanted))
  }
  const toggleColumn = (path: string): void =>
    address.setColumns(columns.includes(path) ? columns.filter((shown) => shown !== path) : [...columns, path])
  const open = (event: LogEvent): void => address.show({ id: event.id, timestamp: String(event.timestamp) })

  const fields = <FieldPanel search={search} columns={columns} onColumn={toggleColumn} onFilter={filter} />
  return (
    <div className="flex h-[calc(100dvh-44px)] min-h-[560px] flex-col wide:h-dvh">
      <PageHeader
        title={source.name}
        actions={
          <>
            <SavedSearches
              token={token}
              lql={search.lql}
              isLive={isLive}
              onRun={({ lql, tailing }) => look(lql, { isLive: tailing })}
            />
            <TakeAway search={search} name={source.name} />
          </>
        }
      />
      <QueryBar
        token={token}
        text={text}
        onText={setText}
        onAsk={look}
        zone={search.zone}
        onZone={address.setZone}
        range={first?.range ?? null}
        isRunning={query.isPending && !isStopped}
        onStop={stop}
        standard={source.default_search_lql ?? ''}
        error={query.isError && missingKeysOf(query.error) === null && !first ? query.error : null}
      />
      <div className="min-h-2 shrink-0" />
      {!query.isError && (
        <Histogram
          chart={chart.data}
          error={chart.error}
          isOld={chart.isPlaceholderData}
          zone={search.zone}
          onRange={searchRange}
        />
      )}
      <StatusLine
        found={<Found query={query} shown={events.length} total={totalOf(chart.data)} isStopped={isStopped} />}
        isLive={isLive}
        isPaused={isPaused}
        tail={{ ...live, held: live.held.length }}
        isWrapped={isWrapped}
        onLive={(isOn) => {
          setPaused(false)
          address.setLive(isOn)
        }}
        onPaused={setPaused}
        onWrapped={address.setWrapped}
        onFields={() => setFieldsOpen(true)}
      />
      <div className="relative flex min-h-0 grow border-t border-line">
        <aside aria-label="Fields" className="w-64 shrink-0 overflow-y-auto border-r border-line max-wide:hidden">
          {fields}
        </aside>
        {events.length === 0 ? (
          <div className="min-w-0 grow overflow-y-auto bg-surface">
            <NothingFound
              query={query}
              isStopped={isStopped}
              isLive={isLive}
              source={source}
              lql={search.lql}
              onAsk={look}
            />
          </div>
        ) : (
          <EventList
            events={events}
            columns={shownColumns}
            zone={search.zone}
            isWrapped={isWrapped}
            end={<TheEnd query={query} />}
            onMore={onMore}
            onOpen={open}
            onReading={setReading}
            topMark={topMark}
          />
        )}
        {isLive && !isPaused && isReading && live.held.length > 0 && (
          <button
            type="button"
            onClick={() => setTopMark((mark) => mark + 1)}
            className="absolute top-2 left-1/2 z-10 -translate-x-1/2 rounded-full bg-accent px-3 py-1 text-small font-medium text-on-accent shadow-high"
          >
            {live.held.length} new {live.held.length === 1 ? 'event' : 'events'}
          </button>
        )}
      </div>
      <Drawer isOpen={isFieldsOpen} onClose={() => setFieldsOpen(false)} title="Fields">
        {fields}
      </Drawer>
      <EventDrawer
        token={token}
        opened={openEvent}
        zone={search.zone}
        onClose={() => address.show(null)}
        onOpen={open}
        onAround={({ timestamp }) => {
          address.show(null)
          searchRange(Number(timestamp) - AROUND_US, Number(timestamp) + AROUND_US)
        }}
        actions={{
          columns,
          onColumn: toggleColumn,
          onFilter(path, value, wanted) {
            address.show(null)
            filter(path, value, wanted)
          },
          isKnown: (path) => schema.data?.[path] !== undefined,
        }}
      />
      {missing && (
        <MissingKeysDialog
          keys={missing}
          lql={search.lql}
          onAsk={look}
          onForce={() => look(search.lql, { isForced: true })}
          onClose={() => setDismissed(query.error)}
        />
      )}
    </div>
  )
}

/** What came live stands above what was found; what was found as well stands there once. */
function joined(live: readonly LogEvent[], past: readonly LogEvent[]): readonly LogEvent[] {
  if (live.length === 0) return past
  const known = new Set(live.map(({ id }) => id))
  return [...live, ...past.filter(({ id }) => !known.has(id))]
}
