/** What stands where content would be: nothing yet, something went wrong, or still on its way. */
import { CircleAlert, type LucideIcon, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { sentenceOfError } from '../api/request.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

type EmptyProps = { icon: LucideIcon; title: string; children?: ReactNode; action?: ReactNode }

export function EmptyState({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <span className="mb-4 flex size-10 items-center justify-center rounded-large border border-line bg-surface text-faint shadow-low">
        <Icon size={18} aria-hidden />
      </span>
      <h2 className="text-large font-semibold">{title}</h2>
      {children && <div className="mt-1 text-soft">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

type ErrorProps = { error: unknown; title?: string; onRetry?(): void; isRetrying?: boolean }

/** Says what the service said, and offers to try again where that can help. */
export function ErrorState({ error, title = 'This could not be loaded', onRetry, isRetrying = false }: ErrorProps) {
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <span className="mb-4 flex size-10 items-center justify-center rounded-large bg-danger-soft text-danger">
        <CircleAlert size={18} aria-hidden />
      </span>
      <h2 className="text-large font-semibold">{title}</h2>
      <p className="mt-1 break-words text-soft">{sentenceOfError(error)}</p>
      {onRetry && (
        <Button className="mt-5" icon={RotateCw} onClick={onRetry} isBusy={isRetrying}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Lines the size of what will come. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={classes('block rounded-small bg-line animate-pulse', className ?? 'h-4 w-full')} />
  )
}

export function Loading({ rows = 6, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-4 px-3 py-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <Skeleton key={row} className={row % 3 === 0 ? 'h-4 w-2/3' : row % 3 === 1 ? 'h-4 w-5/6' : 'h-4 w-1/2'} />
      ))}
    </div>
  )
}
