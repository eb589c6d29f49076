/** The examples of one source, and under them a place that waits for the first event and then shows it. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { LogEvent, SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useCreateIngestToken } from '../../api/sources.ts'
import { useTail } from '../../api/tail.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { snippetsFor } from './snippets.ts'

type Props = { source: SourceRecord; ingestToken: string | null; onToken(token: string): void }

export function SendPanel({ source, ingestToken, onToken }: Props) {
  const snippets = snippetsFor({
    address: window.location.origin,
    token: ingestToken ?? 'YOUR_TOKEN',
    source: source.token,
  })
  return (
    <div className="flex flex-col gap-4">
      {ingestToken === null && <TokenOffer source={source} onToken={onToken} />}
      <Tabs
        label="Ways to send"
        tabs={snippets.map(({ id, label, lead, code }) => ({
          id,
          label,
          content: (
            <>
              <p className="mb-2 text-soft">{lead}</p>
              <CodeBlock code={code} label={`${label} example`} />
            </>
          ),
        }))}
      />
      {ingestToken !== null && (
        <p className="text-small text-faint">
          The token in the examples may only send to this source. It is shown here and nowhere else: copy it now.
        </p>
      )}
      <FirstEvent source={source} />
    </div>
  )
}

function TokenOffer({ source, onToken }: { source: SourceRecord; onToken(token: string): void }) {
  const create = useCreateIngestToken()
  const mayCreate = useMay('admin')
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-base bg-sunken px-3 py-2">
      <p className="min-w-0 grow basis-60 text-soft">
        {create.isError ? (
          <span role="alert" className="text-danger">
            {sentenceOfError(create.error)}
          </span>
        ) : (
          `Put a token of yours into the examples${mayCreate ? ', or make one that may only send to this source.' : '. Making one needs the role admin.'}`
        )}
      </p>
      {mayCreate && (
        <Button size="small" isBusy={create.isPending} onClick={() => create.mutate(source, { onSuccess: onToken })}>
          Make a token
        </Button>
      )}
    </div>
  )
}

function FirstEvent({ source }: { source: SourceRecord }) {
  const [event, setEvent] = useState<LogEvent | null>(null)
  const state = useTail({ token: source.token, isOn: event === null, onEvent: setEvent })
  if (event) {
    return (
      <div role="status" className="rounded-base border border-good bg-good-soft p-3 animate-appear">
        <div className="mb-2 flex items-center gap-2">
          <p className="grow font-medium text-good">Your event arrived.</p>
          <Link to={`/sources/${source.token}`} className={buttonClasses('secondary', 'small')}>
            Open {source.name}
          </Link>
        </div>
        <CodeBlock code={JSON.stringify(event, null, 2)} label="event" isWrapped />
      </div>
    )
  }
  return (
    <div
      role="status"
      className="flex items-center gap-2.5 rounded-base border border-dashed border-line-strong px-3 py-3 text-soft"
    >
      <span aria-hidden className="size-2 shrink-0 rounded-full bg-accent animate-pulse" />
      {state === 'broken'
        ? 'The live connection broke. Load the page again.'
        : `Waiting for ${source.metrics.total > 0 ? 'the next' : 'your first'} event …`}
    </div>
  )
}
