/** Inputs of single settings, tied to the draft: label, help, and the words of the service when it refused. */
import type { ReactNode } from 'react'
import { useLqlCheck } from '../../api/lql.ts'
import type { SourceRecord } from '../../api/records.ts'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { Switch } from '../../design/toggle.tsx'
import type { Draft } from './draft.ts'
import { LqlNote } from './lql-note.tsx'

type NameOf<Value> = {
  [Name in keyof SourceRecord]: SourceRecord[Name] extends Value ? Name : never
}[keyof SourceRecord]

type TextName = NameOf<string | null>

type Props<Name> = { draft: Draft; name: Name; label: string; help?: ReactNode }

export function TextSetting({
  draft,
  name,
  label,
  help,
  rows,
  placeholder,
  isData = false,
  isRequired = false,
}: Props<TextName> & { rows?: number; placeholder?: string; isData?: boolean; isRequired?: boolean }) {
  const input = {
    name,
    value: draft.value(name) ?? '',
    disabled: !draft.mayChange,
    placeholder,
    isData,
    spellCheck: isData ? false : undefined,
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) => draft.set(name, target.value),
  }
  return (
    <Field label={label} help={help} error={draft.errors[name]} isOptional={!isRequired}>
      {rows ? <TextArea {...input} rows={rows} wrap={isData ? 'off' : undefined} /> : <TextInput {...input} />}
    </Field>
  )
}

export function NumberSetting({
  draft,
  name,
  label,
  help,
  min,
  max,
}: Props<NameOf<number>> & { min: number; max: number }) {
  const value = draft.value(name)
  return (
    <Field label={label} help={help} error={draft.errors[name]}>
      <TextInput
        name={name}
        type="number"
        min={min}
        max={max}
        className="max-w-32"
        value={value === null ? '' : String(value)}
        disabled={!draft.mayChange}
        onChange={({ target }) => draft.set(name, target.value === '' ? null : Number(target.value))}
      />
    </Field>
  )
}

export function SwitchSetting({ draft, name, label, help }: Props<NameOf<boolean>>) {
  return (
    <Switch
      label={label}
      help={help}
      isOn={draft.value(name) === true}
      isDisabled={!draft.mayChange}
      onChange={(isOn) => draft.set(name, isOn)}
    />
  )
}

/** A search text, checked against the fields of the source while it is typed. */
export function LqlSetting({
  draft,
  name,
  label,
  help,
  placeholder,
}: Props<'drop_lql_string' | 'default_search_lql'> & { placeholder: string }) {
  const lql = draft.value(name) ?? ''
  const check = useLqlCheck(lql, draft.source.token)
  return (
    <div className="flex flex-col gap-1">
      <TextSetting draft={draft} name={name} label={label} help={help} placeholder={placeholder} isData />
      {!draft.errors[name] && <LqlNote check={check} />}
    </div>
  )
}
