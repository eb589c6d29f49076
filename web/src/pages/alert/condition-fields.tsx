import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { Switch } from '../../design/toggle.tsx'
import type { Operator } from './draft.ts'
import type { PartProps } from './part.ts'

const CONDITIONS = [
  { value: 'rows', label: 'Any row' },
  { value: 'value', label: 'A row whose value …' },
] as const

const OPERATORS: { value: Operator; label: string }[] = [
  { value: '>', label: 'is more than' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
  { value: '=', label: 'is' },
  { value: '!=', label: 'is not' },
]

const REPEATS = [
  { value: 'always', label: 'With every run' },
  { value: 'minutes', label: 'At most every … minutes' },
  { value: 'once', label: 'Only when it begins' },
] as const

export function ConditionFields({ draft, change, errors, isReadOnly }: PartProps) {
  return (
    <div className="flex flex-col gap-4 p-3">
      <Field label="Fires on" error={errors.condition}>
        <Select
          value={draft.condition}
          onChange={(condition) => change({ condition })}
          options={CONDITIONS}
          isDisabled={isReadOnly}
        />
      </Field>
      {draft.condition === 'value' && (
        <div className="grid grid-cols-[minmax(0,1fr)_112px] gap-2">
          <div className="col-span-2">
            <Field label="Column">
              <TextInput
                value={draft.column}
                onChange={({ target }) => change({ column: target.value })}
                required
                autoComplete="off"
                isData
              />
            </Field>
          </div>
          <Field label="Compares">
            <Select
              value={draft.operator}
              onChange={(operator) => change({ operator })}
              options={OPERATORS}
              isDisabled={isReadOnly}
            />
          </Field>
          <Field label="With">
            <TextInput
              value={draft.threshold}
              onChange={({ target }) => change({ threshold: target.value })}
              type="number"
              step="any"
              required
            />
          </Field>
        </div>
      )}
      <Field label="While it fires, tell" error={errors.repeat_minutes}>
        <Select
          value={draft.repeat}
          onChange={(repeat) => change({ repeat })}
          options={REPEATS}
          isDisabled={isReadOnly}
        />
      </Field>
      {draft.repeat === 'minutes' && (
        <Field label="Minutes between two messages">
          <TextInput
            value={draft.repeat_minutes}
            onChange={({ target }) => change({ repeat_minutes: target.value })}
            type="number"
            min={1}
            required
          />
        </Field>
      )}
      <Switch
        label="Tell as well when it is over"
        isOn={draft.notify_resolved}
        isDisabled={isReadOnly}
        onChange={(notify_resolved) => change({ notify_resolved })}
      />
    </div>
  )
}
