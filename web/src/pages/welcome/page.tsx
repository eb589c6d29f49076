/** The first run, in three steps: the owner, a source, the first event. Each step can be left and come back to. */
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useSession, useSetup } from '../../api/client.tsx'
import type { SourceRecord } from '../../api/records.ts'
import { useCreateIngestToken, useSource } from '../../api/sources.ts'
import { buttonClasses } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { ErrorState } from '../../design/states.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { Gate } from '../../shell/gate.tsx'
import { Redirect } from '../../shell/redirect.tsx'
import { Waiting } from '../../shell/waiting.tsx'
import { SendPanel } from '../send/panel.tsx'
import { SourceForm } from '../sources/source-form.tsx'
import { OwnerForm } from './owner-form.tsx'

const STEPS = ['Owner', 'Source', 'First event']

export function Page() {
  const session = useSession()
  const setup = useSetup()
  const [query, changeQuery] = useQueryTexts()
  const createToken = useCreateIngestToken()
  const [ingestToken, setIngestToken] = useState<string | null>(null)

  if (session.isPending || setup.isPending) return <Waiting />
  if (setup.isError) return <ErrorState error={setup.error} onRetry={() => setup.refetch()} />
  if (!session.data) {
    if (!setup.data.needs_owner) return <Redirect to="/login" />
    return (
      <Gate title="Welcome to Millrace" lead="Create the owner of this service. You can invite others later.">
        <Steps at={0} />
        <OwnerForm />
      </Gate>
    )
  }
  if (query.source) return <FirstEvent token={query.source} ingestToken={ingestToken} onToken={setIngestToken} />

  const goOn = async (source: SourceRecord): Promise<void> => {
    // Without a token the next step offers to make one.
    await createToken.mutateAsync(source).then(setIngestToken, () => null)
    changeQuery({ source: source.token })
  }
  return (
    <Gate
      title="Create your first source"
      lead="A source is a named collection of events: one service, one app, one machine."
    >
      <Steps at={1} />
      <SourceForm isShort action="Create source" onCreated={goOn} />
      <p className="mt-4 text-center text-small">
        <Link to="/sources" className="text-soft underline underline-offset-2 hover:text-text">
          Skip this
        </Link>
      </p>
    </Gate>
  )
}

type FirstEventProps = { token: string; ingestToken: string | null; onToken(token: string): void }

function FirstEvent({ token, ingestToken, onToken }: FirstEventProps) {
  const source = useSource(token)
  if (source.isPending) return <Waiting />
  if (source.isError) return <ErrorState error={source.error} onRetry={() => source.refetch()} />
  return (
    <Gate
      width="wide"
      title="Send your first event"
      lead={`Choose how you send to ${source.data.name}. The examples are ready to run.`}
    >
      <Steps at={2} />
      <SendPanel source={source.data} ingestToken={ingestToken} onToken={onToken} />
      <div className="mt-6 flex justify-end">
        <Link to="/sources" className={buttonClasses('secondary')}>
          Go to sources
        </Link>
      </div>
    </Gate>
  )
}

function Steps({ at }: { at: number }) {
  return (
    <ol className="mb-6 flex gap-2">
      {STEPS.map((step, index) => (
        <li
          key={step}
          aria-current={index === at ? 'step' : undefined}
          className={classes(
            'flex grow basis-0 items-center gap-1.5 border-t-2 pt-1.5 text-small',
            index <= at ? 'border-accent' : 'border-line',
            index === at ? 'font-medium' : 'text-faint',
          )}
        >
          {index < at && <Check size={12} className="text-accent" aria-label="done" />}
          {step}
        </li>
      ))}
    </ol>
  )
}
