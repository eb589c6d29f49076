/**
 * The events, newest first. Only the rows in view are in the page, however many were loaded; more are asked for before
 * the end comes into view. Up and down go from row to row, Enter opens one.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { LogEvent } from '../../api/records.ts'
import { classes } from '../../design/classes.ts'
import { CELLS, EventRow } from './event-row.tsx'
import { shortPath } from './lql-text.ts'

type Props = {
  events: readonly LogEvent[]
  columns: readonly string[]
  zone: string
  isWrapped: boolean
  /** Below the last event. */
  end: ReactNode
  onMore(): void
  onOpen(event: LogEvent): void
  /** Somebody has moved away from the newest events. */
  onReading(isReading: boolean): void
  /** Another value brings the list back to its top. */
  topMark: unknown
}

const ROW_PX = 27
const OVERSCAN = 8
/** More than are ever in the page at once. A row that leaves makes room for one that comes, and its elements stay. */
const SLOTS = 256
/** So many rows before the end the next page is asked for. */
const AHEAD = 120
const MESSAGE_PX = 260

export function EventList({ events, columns, zone, isWrapped, end, onMore, onOpen, onReading, topMark }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number | null>(null)
  const id = useId()
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0

  useEffect(() => {
    if (events.length > 0 && last >= events.length - AHEAD) onMore()
  }, [last, events.length, onMore])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is wrapped, and how wide, decides how high rows are
  useEffect(() => rows.measure(), [isWrapped, columns])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark says when
  useEffect(() => {
    setActive(null)
    scroller.current?.scrollTo({ top: 0 })
    onReading(false)
  }, [topMark])

  const go = (index: number): void => {
    const next = Math.max(0, Math.min(events.length - 1, index))
    setActive(next)
    onReading(true)
    rows.scrollToIndex(next)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (events.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 1)
    const from = active ?? -1
    const to: Record<string, number> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: events.length - 1,
    }
    const target = to[event.key]
    if (target !== undefined) {
      event.preventDefault()
      go(target)
    } else if (event.key === 'Enter' && active !== null && events[active]) {
      event.preventDefault()
      onOpen(events[active])
    }
  }
  const minWidth = columns.length === 0 ? 0 : 270 + columns.length * 172 + MESSAGE_PX

  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={
        active !== null && shown.some(({ index }) => index === active) ? `${id}-${active}` : undefined
      }
      onKeyDown={onKey}
      onScroll={({ currentTarget }) => onReading(currentTarget.scrollTop > ROW_PX || active !== null)}
      className="min-h-0 min-w-0 grow overflow-auto bg-surface focus-visible:-outline-offset-2"
    >
      <div role="presentation" style={{ minWidth }}>
        {columns.length > 0 && (
          <div
            aria-hidden
            className="sticky top-0 z-10 flex h-6 items-center gap-3 border-b border-line bg-surface pr-3 text-tiny font-medium text-faint"
          >
            <span className="w-[3px] shrink-0" />
            <span className={CELLS.time}>Time</span>
            <span className={CELLS.level}>Level</span>
            {columns.map((path) => (
              <span key={path} className={classes(CELLS.column, 'truncate')} title={path}>
                {shortPath(path)}
              </span>
            ))}
            <span>Message</span>
          </div>
        )}
        <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const event = events[index]
            return (
              event && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it takes the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the row
                <div
                  key={isWrapped ? index : index % SLOTS}
                  id={`${id}-${index}`}
                  ref={isWrapped ? rows.measureElement : undefined}
                  data-index={index}
                  role="option"
                  aria-selected={index === active}
                  aria-posinset={index + 1}
                  aria-setsize={-1}
                  onClick={() => {
                    setActive(index)
                    onOpen(event)
                  }}
                  className="absolute inset-x-0 top-0 [contain:layout_style]"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <EventRow
                    event={event}
                    columns={columns}
                    zone={zone}
                    isWrapped={isWrapped}
                    isActive={index === active}
                  />
                </div>
              )
            )
          })}
        </div>
      </div>
      <div role="presentation">{end}</div>
    </div>
  )
}
