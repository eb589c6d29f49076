import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Stat = {
  label: string
  value: ReactNode
  /** A few words, or a trend. */
  note?: ReactNode
  tone?: 'plain' | 'warn' | 'danger'
}

/** A few numbers side by side, each with its name. */
export function Stats({ label, stats }: { label: string; stats: Stat[] }) {
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-2 gap-px overflow-hidden rounded-large border border-line bg-line sm:grid-cols-[repeat(auto-fit,minmax(150px,1fr))]"
    >
      {stats.map(({ label: name, value, note, tone = 'plain' }) => (
        <div key={name} className="flex min-w-0 flex-col bg-surface px-3 py-2.5">
          <dt className="text-small text-faint">{name}</dt>
          <dd
            className={classes(
              'text-large font-semibold break-words tabular-nums',
              tone === 'warn' && 'text-warn',
              tone === 'danger' && 'text-danger',
            )}
          >
            {value}
          </dd>
          {note && <dd className="mt-0.5 text-small break-words text-faint">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
