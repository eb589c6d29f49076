/** Log in with e-mail and password, or with the organisation's own log-in; afterwards back to the page that was asked for. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { keepSession, useApi, useSession, useSetup } from '../../api/client.tsx'
import type { Session } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { Gate, GateError } from '../../shell/gate.tsx'
import { Redirect } from '../../shell/redirect.tsx'
import { Waiting } from '../../shell/waiting.tsx'
import { safeNext } from './next.ts'
import { refusalOf } from './refusals.ts'

export function Page() {
  const session = useSession()
  const setup = useSetup()
  const [query] = useQueryTexts()
  if (session.isPending || setup.isPending) return <Waiting />
  if (session.data) return <Redirect to={safeNext(query.next)} />
  if (setup.data?.needs_owner) return <Redirect to="/welcome" />
  return (
    <LogIn
      oidc={setup.data?.oidc ?? null}
      hasMail={setup.data?.mail ?? false}
      next={safeNext(query.next)}
      hadSession={query.next !== undefined}
      refusal={refusalOf(query.error)}
    />
  )
}

type Props = {
  oidc: { label: string } | null
  hasMail: boolean
  next: string
  hadSession: boolean
  refusal: string | null
}

function LogIn({ oidc, hasMail, next, hadSession, refusal }: Props) {
  const api = useApi()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const logIn = useMutation({
    mutationFn: () => api.post<Session>('/api/session', { email, password }),
    onSuccess: (session) => keepSession(queries, session),
  })
  return (
    <Gate
      title="Log in to Millrace"
      lead={hadSession && next !== '/sources' ? 'You will be brought back to where you were.' : null}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          logIn.mutate()
        }}
      >
        <Field label="E-mail">
          <TextInput
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        </Field>
        <Field label="Password">
          <TextInput
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </Field>
        {refusal && logIn.isIdle && <GateError>{refusal}</GateError>}
        {logIn.isError && <GateError>{sentenceOfError(logIn.error)}</GateError>}
        <Button kind="primary" size="large" type="submit" isBusy={logIn.isPending}>
          Log in
        </Button>
      </form>
      {oidc && (
        <a href="/api/session/oidc/start" className={`${buttonClasses('secondary', 'large')} mt-3 w-full`}>
          Log in with {oidc.label}
        </a>
      )}
      {hasMail && (
        <p className="mt-4 text-center text-small">
          <Link to="/reset-password" className="text-soft underline underline-offset-2 hover:text-text">
            Forgot your password?
          </Link>
        </p>
      )}
    </Gate>
  )
}
