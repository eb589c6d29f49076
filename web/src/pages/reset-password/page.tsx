/** A forgotten password: ask for a link by mail, and with the link choose a new one. */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/client.tsx'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { Gate, GateError } from '../../shell/gate.tsx'

export function Page() {
  const [{ token }] = useQueryTexts()
  return token ? <Choose token={token} /> : <Ask />
}

function Ask() {
  const api = useApi()
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: () => api.post<{ message: string }>('/api/password-reset', { email }) })
  if (ask.isSuccess) return <Done title="Look at your mail" text={ask.data.message} />
  return (
    <Gate title="Forgot your password?" lead="A link that sets a new one comes by mail.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          ask.mutate()
        }}
      >
        <Field label="E-mail">
          <TextInput
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        {ask.isError && <GateError>{sentenceOfError(ask.error)}</GateError>}
        <Button kind="primary" size="large" type="submit" isBusy={ask.isPending}>
          Send the link
        </Button>
      </form>
    </Gate>
  )
}

function Choose({ token }: { token: string }) {
  const api = useApi()
  const [password, setPassword] = useState('')
  const choose = useMutation({ mutationFn: () => api.post('/api/password-reset/confirm', { token, password }) })
  if (choose.isSuccess) return <Done title="Your password is set" text="All your sessions have ended. Log in again." />
  const errors = choose.error instanceof Problem ? choose.error.fields : {}
  return (
    <Gate title="Choose a new password">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          choose.mutate()
        }}
      >
        <Field label="Password" help="At least 10 characters." error={errors.password}>
          <TextInput
            type="password"
            autoComplete="new-password"
            required
            minLength={10}
            autoFocus
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </Field>
        {choose.isError && !errors.password && <GateError>{sentenceOfError(choose.error)}</GateError>}
        <Button kind="primary" size="large" type="submit" isBusy={choose.isPending}>
          Set the password
        </Button>
      </form>
    </Gate>
  )
}

function Done({ title, text }: { title: string; text: string }) {
  return (
    <Gate title={title} lead={text}>
      <Link to="/login" className={`${buttonClasses('secondary', 'large')} w-full`}>
        Go to the log-in
      </Link>
    </Gate>
  )
}
