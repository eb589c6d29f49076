import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keepSession, useApi } from '../../api/client.tsx'
import type { Session } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { GateError } from '../../shell/gate.tsx'

/** The service asks for its printed token only when the visitor comes from another machine. */
const asksForToken = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 401 || error.status === 403)

export function OwnerForm() {
  const api = useApi()
  const queries = useQueryClient()
  const [fields, setFields] = useState({ email: '', name: '', password: '', token: '' })
  const [needsToken, setNeedsToken] = useState(false)
  const create = useMutation({
    mutationFn: () =>
      api.post<Session>('/api/setup', {
        email: fields.email,
        password: fields.password,
        ...(fields.name ? { name: fields.name } : {}),
        ...(fields.token ? { token: fields.token } : {}),
      }),
    onSuccess(session) {
      keepSession(queries, session)
      void queries.invalidateQueries({ queryKey: ['setup'] })
    },
    onError: (error) => asksForToken(error) && setNeedsToken(true),
  })
  const errors = create.error instanceof Problem ? create.error.fields : {}
  const input = (name: keyof typeof fields) => ({
    name,
    value: fields[name],
    onChange: ({ target }: { target: { value: string } }) => setFields({ ...fields, [name]: target.value }),
  })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <Field label="E-mail" error={errors.email}>
        <TextInput {...input('email')} type="email" autoComplete="username" required autoFocus />
      </Field>
      <Field label="Name" isOptional error={errors.name}>
        <TextInput {...input('name')} autoComplete="name" />
      </Field>
      <Field label="Password" help="At least 10 characters." error={errors.password}>
        <TextInput {...input('password')} type="password" autoComplete="new-password" minLength={10} required />
      </Field>
      {needsToken && (
        <Field
          label="Management token"
          help="The service printed it at its first start. It proves that this is your machine."
        >
          <TextInput {...input('token')} isData autoComplete="off" />
        </Field>
      )}
      {create.isError && Object.keys(errors).length === 0 && <GateError>{sentenceOfError(create.error)}</GateError>}
      <Button kind="primary" size="large" type="submit" isBusy={create.isPending}>
        Create owner
      </Button>
    </form>
  )
}
