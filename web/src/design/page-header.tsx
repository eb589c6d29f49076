import type { ReactNode } from 'react'

type Props = { title: ReactNode; description?: ReactNode; actions?: ReactNode; children?: ReactNode }

/** The top of every page: its name, a line about it, what can be done here. Children stand below, as filters or tabs. */
export function PageHeader({ title, description, actions, children }: Props) {
  return (
    <header className="flex shrink-0 flex-col gap-3 px-4 pt-5 pb-3 wide:px-6">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 grow">
          <h1 className="text-title font-semibold tracking-tight break-words">{title}</h1>
          {description && <p className="text-soft">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </header>
  )
}
