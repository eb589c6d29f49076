import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'

export type Tab = { id: string; label: string; count?: number; content: ReactNode }

type Props = {
  /** The name of the group, for screen readers. */
  label: string
  tabs: Tab[]
  /** Left out, the first tab is open and the component keeps track itself. */
  open?: string
  onOpen?(id: string): void
}

export function Tabs({ label, tabs, open, onOpen }: Props) {
  const own = open === undefined ? { defaultValue: tabs[0]?.id ?? '' } : { value: open }
  const list = useRef<HTMLDivElement>(null)
  // On a small screen the open tab may stand beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for again whenever another tab is open
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>('[data-state=active]')
    if (list.current && active) list.current.scrollLeft = active.offsetLeft - active.offsetWidth
  }, [open])
  return (
    <Radix.Root {...own} {...(onOpen ? { onValueChange: onOpen } : {})} className="flex min-w-0 flex-col">
      <Radix.List ref={list} aria-label={label} className="relative flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px flex h-8 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-soft hover:text-text focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-text"
          >
            {tab.label}
            {tab.count !== undefined && <span className="text-small text-faint tabular-nums">{tab.count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="min-w-0 pt-3 outline-none">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
