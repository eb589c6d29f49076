import { ago } from './numbers.ts'

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** When something was, as people say it; the exact time is one hover away. */
export function Moment({ at, nowMs }: { at: string; nowMs: number }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))} className="whitespace-nowrap">
      {ago(at, nowMs)}
    </time>
  )
}
