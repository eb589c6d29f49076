import type { LucideIcon } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

export type MenuItem =
  | {
      label: string
      icon?: LucideIcon
      onChoose(): void
      isDanger?: boolean
      isDisabled?: boolean
      isChecked?: boolean
      keys?: string
    }
  | { heading: ReactNode }
  | 'line'

type Props = { trigger: ReactElement; items: MenuItem[]; align?: 'start' | 'end'; side?: 'top' | 'bottom' }

export function Menu({ trigger, items, align = 'end', side = 'bottom' }: Props) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-48 rounded-base border border-line bg-raised p-1 shadow-high animate-appear"
        >
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a menu is written down once and never reordered
            <Entry key={index} item={item} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function Entry({ item }: { item: MenuItem }) {
  if (item === 'line') return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />
  if ('heading' in item) return <Radix.Label className="px-2 py-1 text-small text-faint">{item.heading}</Radix.Label>
  const { icon: Icon } = item
  const looks = classes(
    'flex h-7 cursor-pointer items-center gap-2 rounded-small px-2 outline-none select-none',
    'data-disabled:opacity-50 data-highlighted:bg-hover',
    item.isDanger && 'text-danger',
  )
  const content = (
    <>
      {Icon && <Icon size={14} className={item.isDanger ? '' : 'text-faint'} aria-hidden />}
      <span className="grow">{item.label}</span>
      {item.keys && <kbd className="font-mono text-tiny text-faint">{item.keys}</kbd>}
      {item.isChecked && <span className="size-1.5 rounded-full bg-accent" />}
    </>
  )
  if (item.isChecked !== undefined) {
    return (
      <Radix.CheckboxItem
        checked={item.isChecked}
        onSelect={item.onChoose}
        disabled={item.isDisabled ?? false}
        className={looks}
      >
        {content}
      </Radix.CheckboxItem>
    )
  }
  return (
    <Radix.Item onSelect={item.onChoose} disabled={item.isDisabled ?? false} className={looks}>
      {content}
    </Radix.Item>
  )
}
