import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import { Tooltip } from './tooltip.tsx'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'

const KINDS: Record<ButtonKind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover border-transparent shadow-low',
  secondary: 'bg-surface text-text border-line hover:bg-hover shadow-low',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover border-transparent shadow-low',
}

export const buttonClasses = (kind: ButtonKind, size: 'small' | 'normal' | 'large' = 'normal'): string =>
  classes(
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-base border font-medium whitespace-nowrap select-none',
    'transition-colors disabled:opacity-50 aria-disabled:opacity-50',
    size === 'small' && 'h-7 px-2 text-small',
    size === 'normal' && 'h-8 px-3 text-base',
    size === 'large' && 'h-10 px-4 text-large',
    KINDS[kind],
  )

type ButtonProps = ComponentProps<'button'> & {
  kind?: ButtonKind
  size?: 'small' | 'normal' | 'large'
  icon?: LucideIcon
  /** Work is under way: the button turns and cannot be pressed again. */
  isBusy?: boolean
}

export function Button({
  kind = 'secondary',
  size = 'normal',
  icon: Icon,
  isBusy = false,
  type = 'button',
  className,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={classes(buttonClasses(kind, size), className)}
    >
      {isBusy ? (
        <LoaderCircle size={14} className="animate-spin" aria-hidden />
      ) : (
        Icon && <Icon size={14} aria-hidden />
      )}
      {children}
    </button>
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  icon: LucideIcon
  /** What it does: its name for screen readers, and its tooltip. */
  label: string
  size?: 'small' | 'normal'
  isPressed?: boolean
}

export function IconButton({ icon: Icon, label, size = 'normal', isPressed, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-pressed={isPressed}
        className={classes(
          'inline-flex shrink-0 items-center justify-center rounded-base text-faint transition-colors',
          'hover:bg-hover hover:text-text disabled:opacity-50 aria-pressed:text-accent',
          size === 'small' ? 'size-6' : 'size-8',
          className,
        )}
      >
        <Icon size={size === 'small' ? 14 : 16} aria-hidden />
      </button>
    </Tooltip>
  )
}
