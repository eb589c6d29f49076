import { useState } from 'react'
import type { SourceRecord } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { useCreateSource } from '../../api/sources.ts'
import { Button } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'

type Props = {
  /** Of the button. */
  action: string
  /** The name only. */
  isShort?: boolean
  onCreated(source: SourceRecord): void | Promise<void>
  onCancel?(): void
}

export function SourceForm({ action, isShort = false, onCreated, onCancel }: Props) {
  const create = useCreateSource()
  const [fields, setFields] = useState({ name: '', description: '', service_name: '', retention_days: '7' })
  const errors = create.error instanceof Problem ? create.error.fields : {}
  const input = (name: keyof typeof fields) => ({
    name,
    value: fields[name],
    onChange: ({ target }: { target: { value: string } }) => setFields({ ...fields, [name]: target.value }),
  })
  const submit = (): void => {
    create.mutate(
      {
        name: fields.name,
        ...(isShort ? {} : { retention_days: Number(fields.retention_days) }),
        ...(fields.description ? { description: fields.description } : {}),
        ...(fields.service_name ? { service_name: fields.service_name } : {}),
      },
      { onSuccess: onCreated },
    )
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Field label="Name" error={errors.name} help="Senders use it; short and plain works best: my-app, api.prod">
        <TextInput {...input('name')} required maxLength={255} autoFocus autoComplete="off" isData />
      </Field>
      {!isShort && (
        <>
          <Field label="Description" isOptional error={errors.description}>
            <TextInput {...input('description')} autoComplete="off" />
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Service" isOptional error={errors.service_name} help="Sources of one service stand together.">
              <TextInput {...input('service_name')} autoComplete="off" />
            </Field>
            <Field label="Retention in days" error={errors.retention_days} help="1 to 3650; older events are deleted.">
              <TextInput {...input('retention_days')} type="number" min={1} max={3650} required />
            </Field>
          </div>
        </>
      )}
      {create.isError && Object.keys(errors).length === 0 && (
        <p role="alert" className="text-danger">
          {sentenceOfError(create.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind="primary" type="submit" isBusy={create.isPending} className={isShort ? 'h-10 grow' : ''}>
          {action}
        </Button>
      </div>
    </form>
  )
}
