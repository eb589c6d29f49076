import { Fragment, type ReactNode } from 'react'
import { CopyButton } from './code-block.tsx'

export type KeyValue = {
  key: string
  value: ReactNode
  /** Offers to copy this. */
  copy?: string
}

/** Names on the left, values on the right, for one thing looked at closely. */
export function KeyValueList({ items }: { items: KeyValue[] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_1fr]">
      {items.map(({ key, value, copy }) => (
        <Fragment key={key}>
          <dt className="border-b border-line py-1.5 pr-4 text-faint">{key}</dt>
          <dd className="flex min-w-0 items-start gap-1 border-b border-line py-1.5">
            <span className="min-w-0 grow break-words">{value}</span>
            {copy !== undefined && <CopyButton text={copy} label={`Copy ${key}`} />}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
