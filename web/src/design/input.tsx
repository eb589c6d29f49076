import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import { useFieldProps } from './field.tsx'

export const INPUT =
  'w-full min-w-0 rounded-base border border-line-strong/60 bg-surface text-text shadow-low ' +
  'hover:border-line-strong focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 ' +
  'aria-invalid:border-danger disabled:bg-sunken disabled:text-faint'

type TextInputProps = ComponentProps<'input'> & { isData?: boolean }

/** `isData` sets what is typed in the fixed-width type: ids, addresses, queries. */
export function TextInput({ isData = false, className, ...rest }: TextInputProps) {
  const field = useFieldProps()
  return (
    <input
      type="text"
      {...field}
      {...rest}
      className={classes(INPUT, 'h-8 px-2.5', isData && 'font-mono', className)}
    />
  )
}

export function TextArea({
  isData = false,
  className,
  rows = 4,
  ...rest
}: ComponentProps<'textarea'> & { isData?: boolean }) {
  const field = useFieldProps()
  return (
    <textarea
      {...field}
      rows={rows}
      {...rest}
      className={classes(INPUT, 'resize-y px-2.5 py-1.5', isData && 'font-mono text-small', className)}
    />
  )
}
