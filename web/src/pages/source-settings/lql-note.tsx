import { Check, CircleAlert, TriangleAlert } from 'lucide-react'
import type { LqlCheck } from '../../api/lql.ts'

/** One line under an LQL text: what the service thinks of it. Keeps its place while it is being asked. */
export function LqlNote({ check }: { check: LqlCheck }) {
  if (check.state === 'empty') return null
  if (check.state === 'checking') return <p className="text-small text-faint">Checking …</p>
  if (check.state === 'good') {
    return (
      <p role="status" className="flex items-center gap-1.5 text-small text-good">
        <Check size={12} aria-hidden /> Can be read.
      </p>
    )
  }
  const isBad = check.state === 'bad'
  const Icon = isBad ? CircleAlert : TriangleAlert
  return (
    <p
      role={isBad ? 'alert' : 'status'}
      className={`flex items-start gap-1.5 text-small ${isBad ? 'text-danger' : 'text-warn'}`}
    >
      <Icon size={12} className="mt-[3px] shrink-0" aria-hidden />
      <span className="min-w-0 break-words">
        {check.sentence}
        {!isBad && ' It can be saved, and acts once events have it.'}
      </span>
    </p>
  )
}
