/** The frame of pages before the log-in: one calm sheet in the middle. */
import type { ReactNode } from 'react'
import { classes } from '../design/classes.ts'
import { Wordmark } from './logo.tsx'

type Props = { title: string; lead?: ReactNode; width?: 'narrow' | 'wide'; children: ReactNode }

export function Gate({ title, lead, width = 'narrow', children }: Props) {
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 pt-[10vh] pb-12">
      <div className="mb-8">
        <Wordmark />
      </div>
      <section
        className={classes(
          'w-full rounded-large border border-line bg-surface p-6 shadow-low animate-appear',
          width === 'narrow' ? 'max-w-sm' : 'max-w-3xl',
        )}
      >
        <h1 className="text-title font-semibold tracking-tight">{title}</h1>
        {lead && <p className="mt-1 text-soft">{lead}</p>}
        <div className="mt-5">{children}</div>
      </section>
    </main>
  )
}

export function GateError({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="rounded-base bg-danger-soft px-3 py-2 text-danger">
      {children}
    </p>
  )
}
