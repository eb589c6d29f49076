/** Windows over the page: `Dialog` in the middle for one decision, `Drawer` at the side for looking at one thing. */
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

type WindowProps = {
  isOpen: boolean
  onClose(): void
  title: string
  description?: ReactNode
  /** Buttons, the one that acts last. Forms bring their own. */
  footer?: ReactNode
  children?: ReactNode
}

export function Dialog({ width = 'normal', ...rest }: WindowProps & { width?: 'normal' | 'wide' }) {
  return (
    <Window
      {...rest}
      className={classes(
        'top-[12vh] left-1/2 max-h-[80vh] w-[calc(100vw-24px)] -translate-x-1/2 rounded-large animate-appear',
        width === 'wide' ? 'max-w-3xl' : 'max-w-lg',
      )}
    />
  )
}

export function Drawer({ width = 'normal', ...rest }: WindowProps & { width?: 'normal' | 'wide' }) {
  return (
    <Window
      {...rest}
      className={classes(
        'inset-y-0 right-0 w-full border-y-0 border-r-0 animate-slide sm:rounded-l-large',
        width === 'wide' ? 'sm:w-[720px]' : 'sm:w-[480px]',
      )}
    />
  )
}

function Window({
  isOpen,
  onClose,
  title,
  description,
  footer,
  children,
  className,
}: WindowProps & { className: string }) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-veil animate-appear" />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={classes(
            'fixed z-40 flex flex-col border border-line bg-raised shadow-high outline-none',
            className,
          )}
        >
          <header className="flex items-start gap-3 px-4 pt-3 pb-2">
            <div className="min-w-0 grow pt-1">
              <Radix.Title className="truncate text-large font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="text-soft">{description}</Radix.Description>}
            </div>
            {/* No tooltip: it would open with the focus, and take the first Escape for itself. */}
            <Radix.Close
              aria-label="Close"
              className="flex size-8 shrink-0 items-center justify-center rounded-base text-faint hover:bg-hover hover:text-text"
            >
              <X size={16} aria-hidden />
            </Radix.Close>
          </header>
          <div className="min-h-0 grow overflow-y-auto px-4 pt-1 pb-4">{children}</div>
          {footer && <footer className="flex justify-end gap-2 border-t border-line px-4 py-3">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
