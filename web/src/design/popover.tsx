import { Popover as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

type Props = {
  trigger: ReactElement
  /** Its name for screen readers. */
  label: string
  isOpen: boolean
  onOpenChange(isOpen: boolean): void
  align?: 'start' | 'end'
  children: ReactNode
}

/** A small sheet that hangs on a button, for choices that need more than a menu. */
export function Popover({ trigger, label, isOpen, onOpenChange, align = 'end', children }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-30 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-16px)] overflow-y-auto rounded-large border border-line bg-raised shadow-high outline-none animate-appear"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
