import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { classes } from './classes.ts'
import { useFieldProps } from './field.tsx'
import { INPUT } from './input.tsx'
import { styleNonce } from './nonce.ts'

export type Option<Value extends string> = { value: Value; label: string; hint?: string; isDisabled?: boolean }

type Props<Value extends string> = {
  value: Value | undefined
  onChange(value: Value): void
  options: readonly Option<Value>[]
  placeholder?: string
  /** Its name, where no `Field` gives one. */
  label?: string
  isDisabled?: boolean
  className?: string
}

export function Select<Value extends string>({
  value,
  onChange,
  options,
  placeholder = 'Choose …',
  label,
  isDisabled = false,
  className,
}: Props<Value>) {
  const field = useFieldProps()
  // Radix knows only strings; the value is one of the options again before it leaves.
  const choose = (chosen: string): void => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChange(option.value)
  }
  return (
    <Radix.Root value={value ?? ''} onValueChange={choose} disabled={isDisabled}>
      <Radix.Trigger
        {...field}
        aria-label={label}
        className={classes(INPUT, 'inline-flex h-8 items-center justify-between gap-2 px-2.5 text-left', className)}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <Radix.Icon>
          <ChevronDown size={14} className="text-faint" aria-hidden />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-80 min-w-(--radix-select-trigger-width) overflow-hidden rounded-base border border-line bg-raised p-1 shadow-high animate-appear"
        >
          <Radix.Viewport nonce={styleNonce()}>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.isDisabled ?? false}
                className="flex h-7 cursor-pointer items-center justify-between gap-4 rounded-small px-2 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover"
              >
                <span className="flex items-baseline gap-2">
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.hint && <span className="text-small text-faint">{option.hint}</span>}
                </span>
                <Radix.ItemIndicator>
                  <Check size={14} className="text-accent" aria-hidden />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
