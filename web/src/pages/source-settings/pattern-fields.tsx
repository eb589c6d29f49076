import { Trash2 } from 'lucide-react'
import { useLqlCheck } from '../../api/lql.ts'
import { IconButton } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { LqlNote } from './lql-note.tsx'
import { type Pattern, printNumber, readNumber } from './told.ts'

type Props = {
  token: string
  pattern: Pattern
  isDisabled: boolean
  errorOf(name: keyof Pattern): string[] | undefined
  onChange(pattern: Pattern): void
  onRemove(): void
}

export function PatternFields({ token, pattern, isDisabled, errorOf, onChange, onRemove }: Props) {
  const check = useLqlCheck(pattern.lql, token)
  return (
    <fieldset disabled={isDisabled} className="flex flex-col gap-3 rounded-base border border-line p-3">
      <legend className="sr-only">{`Pattern ${pattern.name}`}</legend>
      <div className="flex items-end gap-2">
        <div className="grow">
          <Field label="Pattern" error={errorOf('name')}>
            <TextInput
              value={pattern.name}
              autoComplete="off"
              onChange={({ target }) => onChange({ ...pattern, name: target.value })}
            />
          </Field>
        </div>
        {!isDisabled && <IconButton icon={Trash2} label={`Remove ${pattern.name}`} onClick={onRemove} />}
      </div>
      <div className="flex flex-col gap-1">
        <Field label="Events that match" error={errorOf('lql')}>
          <TextInput
            value={pattern.lql}
            placeholder="m.status:>=500 -healthcheck"
            autoComplete="off"
            spellCheck={false}
            isData
            onChange={({ target }) => onChange({ ...pattern, lql: target.value })}
          />
        </Field>
        {!errorOf('lql') && <LqlNote check={check} />}
      </div>
      <div className="grid grid-cols-2 gap-3">
        <Field label="At least" error={errorOf('threshold')} help="events">
          <TextInput
            type="number"
            min={1}
            value={printNumber(pattern.threshold)}
            onChange={({ target }) => onChange({ ...pattern, threshold: readNumber(target.value) })}
          />
        </Field>
        <Field label="Within" error={errorOf('window_minutes')} help="minutes, 1 to 60">
          <TextInput
            type="number"
            min={1}
            max={60}
            value={printNumber(pattern.window_minutes)}
            onChange={({ target }) => onChange({ ...pattern, window_minutes: readNumber(target.value) })}
          />
        </Field>
      </div>
    </fieldset>
  )
}
