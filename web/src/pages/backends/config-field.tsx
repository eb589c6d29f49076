/** One field of a config: the input that fits it, and for a secret whether it is set. */
import type { BackendField } from '../../api/records.ts'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { Switch } from '../../design/toggle.tsx'
import { type Draft, KEPT } from './config.ts'
import { Pairs } from './pairs.tsx'

type Value = Draft[string]
type Props = { field: BackendField; value: Value; error: string[] | undefined; onChange(value: Value): void }

export function ConfigField({ field, value, error, onChange }: Props) {
  if (field.input === 'switch') {
    return (
      <div className="sm:col-span-2">
        <Switch label={field.label} help={field.help} isOn={value === true} onChange={onChange} />
      </div>
    )
  }
  if (Array.isArray(value)) {
    return (
      <div className="sm:col-span-2">
        <Pairs label={field.label} help={field.help} error={error} pairs={value} onChange={onChange} />
      </div>
    )
  }
  if (field.secret && value === KEPT) return <KeptSecret field={field} onChange={onChange} />
  return (
    <div className={field.input === 'lines' ? 'sm:col-span-2' : ''}>
      <Field
        label={field.label}
        help={helpOf(field)}
        error={error}
        isOptional={!field.required && field.default === null}
      >
        <Input field={field} text={String(value ?? '')} onChange={onChange} />
      </Field>
    </div>
  )
}

function Input({ field, text, onChange }: { field: BackendField; text: string; onChange(text: string): void }) {
  if (field.input === 'choice') {
    const options = field.choices.map((choice) => ({ value: choice, label: choice }))
    return <Select value={text === '' ? undefined : text} onChange={onChange} options={options} />
  }
  const shared = { name: field.name, value: text, required: field.required, autoComplete: 'off', isData: true }
  if (field.input === 'lines')
    return <TextArea {...shared} spellCheck={false} onChange={({ target }) => onChange(target.value)} />
  return (
    <TextInput
      {...shared}
      {...(field.secret ? { type: 'password', autoComplete: 'new-password' } : {})}
      {...(field.input === 'number'
        ? { type: 'number', step: 1, min: field.min ?? undefined, max: field.max ?? undefined }
        : { maxLength: field.max_length ?? undefined })}
      spellCheck={false}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

function KeptSecret({ field, onChange }: { field: BackendField; onChange(text: string): void }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">{field.label}</span>
      <div className="flex h-8 items-center gap-2">
        <Badge tone="good">set</Badge>
        <span className="grow text-small text-faint">Stored encrypted, not shown again.</span>
        <Button size="small" onClick={() => onChange('')} aria-label={`Replace ${field.label}`}>
          {field.required ? 'Replace' : 'Replace or remove'}
        </Button>
      </div>
    </div>
  )
}

function helpOf({ help, min, max, input }: BackendField): string | null {
  const range = input === 'number' && min !== null && max !== null ? `${min} to ${max}.` : null
  return [help, range].filter(Boolean).join(' ') || null
}
