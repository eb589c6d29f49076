import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** A sheet that holds one thing: a table, a form, a group of settings. */
export function Card({
  title,
  actions,
  children,
  className,
}: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
}) {
  return (
    <section className={classes('min-w-0 overflow-hidden rounded-large border border-line bg-surface', className)}>
      {title && (
        <header className="flex min-h-9 items-center gap-2 border-b border-line px-3">
          <h2 className="min-w-0 grow truncate text-small font-semibold text-soft">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}
