import { Check, Minus } from 'lucide-react'
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui'
import { type ReactNode, useId } from 'react'

type SwitchProps = {
  label: string
  help?: ReactNode
  isOn: boolean
  onChange(isOn: boolean): void
  isDisabled?: boolean
}

/** Takes effect at once, or with the form around it; the label is part of it. */
export function Switch({ label, help, isOn, onChange, isDisabled = false }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <RadixSwitch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={isDisabled}
        aria-describedby={help ? `${id}-help` : undefined}
        className="mt-0.5 h-4 w-7 shrink-0 rounded-full bg-line-strong transition-colors data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <RadixSwitch.Thumb className="block size-3 translate-x-0.5 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-3.5" />
      </RadixSwitch.Root>
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-small text-faint">
            {help}
          </p>
        )}
      </div>
    </div>
  )
}

type CheckboxProps = {
  label: string
  /** Some of what it stands for is on. */
  isOn: boolean | 'some'
  onChange(isOn: boolean): void
  isDisabled?: boolean
  /** The label is for screen readers only, as in a row of a table. */
  hidesLabel?: boolean
}

export function Checkbox({ label, isOn, onChange, isDisabled = false, hidesLabel = false }: CheckboxProps) {
  const id = useId()
  return (
    <div className="flex items-center gap-2">
      <RadixCheckbox.Root
        id={id}
        checked={isOn === 'some' ? 'indeterminate' : isOn}
        onCheckedChange={(checked) => onChange(checked === true)}
        disabled={isDisabled}
        aria-label={hidesLabel ? label : undefined}
        className="flex size-4 shrink-0 items-center justify-center rounded-small border border-line-strong bg-surface text-on-accent data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent disabled:opacity-50"
      >
        <RadixCheckbox.Indicator>
          {isOn === 'some' ? <Minus size={12} aria-hidden /> : <Check size={12} strokeWidth={3} aria-hidden />}
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      {!hidesLabel && <label htmlFor={id}>{label}</label>}
    </div>
  )
}
