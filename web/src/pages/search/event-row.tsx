import { memo } from 'react'
import type { LogEvent } from '../../api/records.ts'
import { LevelBadge } from '../../design/badge.tsx'
import { classes } from '../../design/classes.ts'
import { inline, levelIn, summaryOf, valueAt } from './event-fields.ts'
import { LEVEL_STRIPES } from './level-looks.ts'
import { stampOf } from './times.ts'

/** More of a message than this does not fit on a line; the drawer has all of it. */
const SHOWN_CHARS = 600
const WRAPPED_CHARS = 4_000

export const CELLS = {
  time: 'w-[98px] shrink-0 wide:w-[172px]',
  level: 'w-[68px] shrink-0 max-wide:hidden',
  column: 'w-40 shrink-0',
}

type Props = {
  event: LogEvent
  columns: readonly string[]
  zone: string
  isWrapped: boolean
  isActive: boolean
}

export const EventRow = memo(function EventRow({ event, columns, zone, isWrapped, isActive }: Props) {
  const level = levelIn(event)
  const { date, time } = stampOf(event.timestamp, zone)
  const text = summaryOf(event)
  return (
    <div
      className={classes(
        'flex min-h-[26px] cursor-pointer gap-3 border-b border-line/60 py-[3px] pr-3 font-mono text-small',
        isActive ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <span className={classes('-my-[3px] w-[3px] shrink-0', level ? LEVEL_STRIPES[level.level] : 'bg-transparent')} />
      <span className={classes(CELLS.time, 'whitespace-nowrap text-faint tabular-nums')}>
        <span className="max-wide:hidden">{date} </span>
        {time}
      </span>
      <span className={CELLS.level}>{level && <LevelBadge level={level.name} />}</span>
      {columns.map((path) => (
        <span key={path} className={classes(CELLS.column, isWrapped ? 'break-words' : 'truncate')}>
          {inline(valueAt(event, path)).slice(0, SHOWN_CHARS)}
        </span>
      ))}
      <span
        className={classes('min-w-0 grow', isWrapped ? 'break-words whitespace-pre-wrap' : 'truncate whitespace-pre')}
      >
        {text === '' ? (
          <span className="text-faint">no message</span>
        ) : isWrapped ? (
          text.slice(0, WRAPPED_CHARS)
        ) : (
          text.slice(0, SHOWN_CHARS).replaceAll('\n', ' ⏎ ')
        )}
      </span>
    </div>
  )
})
