/** Accept an invitation: the link brings its one-time token, the visitor chooses a name and a password. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MailX } from 'lucide-react'
import { useState } from 'react'
import { keepSession, useApi } from '../../api/client.tsx'
import type { Session } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { EmptyState } from '../../design/states.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { Gate, GateError } from '../../shell/gate.tsx'
import { Redirect } from '../../shell/redirect.tsx'

export function Page() {
  const [{ token }] = useQueryTexts()
  if (token) return <Accept token={token} />
  return (
    <main>
      <EmptyState
        icon={MailX}
        title="This link is not complete"
        action={
          <Link to="/login" className={buttonClasses('secondary')}>
            Log in
          </Link>
        }
      >
        Open the whole link of your invitation, or ask for a new one.
      </EmptyState>
    </main>
  )
}

function Accept({ token }: { token: string }) {
  const api = useApi()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () => api.post<Session>('/api/invitations/accept', { token, name, password }),
    onSuccess: (session) => keepSession(queries, session),
  })
  if (accept.isSuccess) return <Redirect to="/sources" />
  const errors = accept.error instanceof Problem ? accept.error.fields : {}
  return (
    <Gate title="You are invited" lead="Choose a name and a password, and you are in.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          accept.mutate()
        }}
      >
        <Field label="Name" error={errors.name}>
          <TextInput
            name="name"
            autoComplete="name"
            required
            autoFocus
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Field label="Password" help="At least 10 characters." error={errors.password}>
          <TextInput
            type="password"
            name="password"
            autoComplete="new-password"
            required
            minLength={10}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </Field>
        {accept.isError && Object.keys(errors).length === 0 && <GateError>{sentenceOfError(accept.error)}</GateError>}
        <Button kind="primary" size="large" type="submit" isBusy={accept.isPending}>
          Accept the invitation
        </Button>
      </form>
    </Gate>
  )
}
