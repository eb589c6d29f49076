/** Everything in an event, branch by branch; from any value a search can be narrowed. */
import { ChevronRight, CircleMinus, CirclePlus, Columns3 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { CopyButton } from '../../design/code-block.tsx'
import { isRecord } from './event-fields.ts'

/** What can be done with a value. */
export type ValueActions = {
  onFilter(path: string, value: unknown, wanted: 'in' | 'out'): void
  /** Where there is a list whose columns can be chosen. */
  columns?: readonly string[]
  onColumn?(path: string): void
  /** Whether the source knows the field, so that a search for it makes sense. */
  isKnown(path: string): boolean
}

/** Longer texts are told apart by their beginning, which is not what a filter would do. */
const FILTER_CHARS_MAX = 500

type Props = { value: unknown; path?: string; actions: ValueActions }

export function EventTree({ value, path = '', actions }: Props) {
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((element, index) => [String(index), element])
    : isRecord(value)
      ? Object.entries(value)
      : []
  return (
    <ul className={classes('min-w-0', path !== '' && 'ml-[7px] border-l border-line pl-3')}>
      {entries.map(([name, member]) => {
        const memberPath = Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`
        const isBranch = typeof member === 'object' && member !== null
        return (
          <li key={name} className="min-w-0">
            {isBranch ? (
              <Branch name={name} value={member} path={memberPath} actions={actions} />
            ) : (
              <Leaf name={name} value={member} path={memberPath} actions={actions} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

type NodeProps = { name: string; value: unknown; path: string; actions: ValueActions }

function Branch({ name, value, path, actions }: NodeProps) {
  const [isOpen, setOpen] = useState(true)
  const size = Array.isArray(value) ? value.length : Object.keys(value ?? {}).length
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-7 items-center gap-1 rounded-small font-mono text-small text-soft hover:text-text"
      >
        <ChevronRight size={14} aria-hidden className={classes('text-faint', isOpen && 'rotate-90')} />
        {name}
        <span className="pl-1 text-faint">{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
      </button>
      {isOpen && <EventTree value={value} path={path} actions={actions} />}
    </>
  )
}

function Leaf({ name, value, path, actions }: NodeProps) {
  const text = value === null ? 'null' : String(value)
  const isColumn = actions.columns?.includes(path) ?? false
  const mayFilter = actions.isKnown(path) && path !== 'timestamp' && text.length <= FILTER_CHARS_MAX
  return (
    <div className="group flex min-h-7 min-w-0 items-start gap-2 rounded-small pl-[18px] hover:bg-hover">
      <span className="shrink-0 py-1 font-mono text-small text-faint">{name}</span>
      <span
        className={classes('min-w-0 grow py-1 font-mono text-small break-words whitespace-pre-wrap', colorOf(value))}
      >
        {text}
      </span>
      <span className="flex shrink-0 items-center py-0.5 wide:opacity-0 wide:group-focus-within:opacity-100 wide:group-hover:opacity-100">
        {mayFilter && (
          <>
            <IconButton
              icon={CirclePlus}
              size="small"
              label={`Only events with this ${path}`}
              onClick={() => actions.onFilter(path, value, 'in')}
            />
            <IconButton
              icon={CircleMinus}
              size="small"
              label={`No events with this ${path}`}
              onClick={() => actions.onFilter(path, value, 'out')}
            />
          </>
        )}
        {mayFilter && actions.onColumn && path !== 'event_message' && (
          <IconButton
            icon={Columns3}
            size="small"
            label={isColumn ? `Hide the column ${path}` : `Show ${path} as a column`}
            isPressed={isColumn}
            onClick={() => actions.onColumn?.(path)}
          />
        )}
        <CopyButton text={text} label={`Copy ${path}`} />
      </span>
    </div>
  )
}

function colorOf(value: unknown): string {
  if (typeof value === 'number') return 'text-level-info'
  if (typeof value === 'boolean' || value === null) return 'text-level-critical'
  return 'text-text'
}
