/** The events around one: what happened just before, and just after. */
import type { LogEvent } from '../../api/records.ts'
import { classes } from '../../design/classes.ts'
import { ErrorState, Loading } from '../../design/states.tsx'
import { levelIn, summaryOf } from './event-fields.ts'
import { LEVEL_STRIPES } from './level-looks.ts'
import { useContextOf } from './results.ts'
import { fullTime, stampOf } from './times.ts'

type Props = { token: string; event: LogEvent; zone: string; onOpen(event: LogEvent): void }

const SHOWN_CHARS = 400

export function EventContext({ token, event, zone, onOpen }: Props) {
  const context = useContextOf(token, event)
  if (context.isPending) return <Loading label="Loading surrounding events" />
  if (context.isError) return <ErrorState error={context.error} onRetry={() => context.refetch()} />
  const { before, event: found, after } = context.data
  return (
    <ol aria-label="Surrounding events, oldest first" className="overflow-hidden rounded-base border border-line">
      {[...before, found, ...after].map((neighbour, index) => {
        const isSelf = index === before.length
        const level = levelIn(neighbour)
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is of one moment, and ids may come twice
            key={index}
            className={classes('border-b border-line/60 last:border-b-0', isSelf && 'bg-selected')}
          >
            <button
              type="button"
              aria-current={isSelf}
              ref={isSelf ? scrollHere : undefined}
              onClick={() => onOpen(neighbour)}
              title={fullTime(neighbour.timestamp, zone)}
              className={classes(
                'flex w-full gap-2 py-1 pr-2 text-left font-mono text-small focus-visible:-outline-offset-2',
                !isSelf && 'hover:bg-hover',
              )}
            >
              <span
                className={classes('-my-1 w-[3px] shrink-0', level ? LEVEL_STRIPES[level.level] : 'bg-transparent')}
              />
              <span className="shrink-0 text-faint tabular-nums">{stampOf(neighbour.timestamp, zone).time}</span>
              <span className="min-w-0 truncate">{summaryOf(neighbour).slice(0, SHOWN_CHARS) || 'no message'}</span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}

const scrollHere = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' })
