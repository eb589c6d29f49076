/** The form of a backend, made from what its type takes. */
import { useState } from 'react'
import type { BackendFields } from '../../api/backends.ts'
import type { BackendRecord, BackendType } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { configOf, draftOf, shownFields } from './config.ts'
import { ConfigField } from './config-field.tsx'

type Props = {
  type: BackendType
  /** The record to change; null for a new one. */
  stored: BackendRecord | null
  /** Of the button. */
  action: string
  problem: unknown
  isBusy: boolean
  onCancel(): void
  onSave(fields: BackendFields): void
}

export function BackendForm({ type, stored, action, problem, isBusy, onCancel, onSave }: Props) {
  const [name, setName] = useState(stored?.name ?? '')
  const [description, setDescription] = useState(stored?.description ?? '')
  const [draft, setDraft] = useState(() => draftOf(type, stored?.config ?? null))
  const errors = problem instanceof Problem ? problem.fields : {}
  const shown = shownFields(type, draft)
  const named = new Set(['name', 'description', ...shown.map((field) => `config.${field.name}`)])
  const others = Object.entries(errors).filter(([field]) => !named.has(field))
  const isToldAtFields = Object.keys(errors).length > others.length
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const config = configOf(type, draft, stored?.config ?? null)
        onSave({ name, description: description.trim() || null, type: type.type, config })
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" error={errors.name}>
          <TextInput
            name="name"
            required
            maxLength={255}
            autoFocus
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Field label="Description" isOptional error={errors.description}>
          <TextInput
            name="description"
            autoComplete="off"
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        </Field>
      </div>
      <div className="grid items-start gap-4 border-t border-line pt-4 sm:grid-cols-2">
        {shown.map((field) => (
          <ConfigField
            key={field.name}
            field={field}
            value={draft[field.name] ?? null}
            error={errors[`config.${field.name}`]}
            onChange={(value) => setDraft((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      {Boolean(problem) && (!isToldAtFields || others.length > 0) && (
        <p role="alert" className="text-danger">
          {sentenceOfError(problem)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
