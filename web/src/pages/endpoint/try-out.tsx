/** Calls the endpoint as its callers do, with values for its parameters and, where it allows, with a query of one's own. */
import { Play, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/client.tsx'
import type { EndpointRecord, Row } from '../../api/records.ts'
import type { Problem } from '../../api/request.ts'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { count } from '../../design/numbers.ts'
import { Select } from '../../design/select.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { markOf } from '../../editor/mark.ts'
import { QueryField } from '../../editor/query-field.tsx'
import { ResultTable } from '../../results/result-table.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { useValues } from './values.ts'

type Outcome =
  | { state: 'idle' | 'running' }
  | { state: 'done'; rows: Row[]; ms: number; isKept: boolean }
  | { state: 'failed'; problem: Problem; own: string }

const OWN = [
  { value: 'none', label: 'As published' },
  { value: 'sql', label: 'My own SQL' },
  { value: 'lql', label: 'My own LQL' },
] as const

export function TryOut({ endpoint }: { endpoint: EndpointRecord }) {
  const { token, parameters, sandboxable } = endpoint
  const api = useApi()
  const [values, changeValue] = useValues(parameters)
  const [query, changeQuery] = useQueryTexts()
  const kind = sandboxable && (query.own === 'sql' || query.own === 'lql') ? query.own : 'none'
  const [own, setOwn] = useState(query.text ?? '')
  const [outcome, setOutcome] = useState<Outcome>({ state: 'idle' })
  const failed = outcome.state === 'failed' && outcome.own === own ? outcome.problem : null
  const mark = useMemo(() => (kind === 'sql' ? markOf(failed) : null), [failed, kind])

  async function run(): Promise<void> {
    setOutcome({ state: 'running' })
    if (kind !== 'none') changeQuery({ text: own }, { replace: true })
    const sinceMs = performance.now()
    const path = `/api/endpoints/query/${token}`
    const answer =
      kind === 'none'
        ? await api.request<{ result: Row[] }>('GET', `${path}?${new URLSearchParams(values)}`)
        : await api.request<{ result: Row[] }>('POST', path, { body: { ...values, [kind]: own } })
    const ms = Math.round(performance.now() - sinceMs)
    setOutcome(
      answer.ok
        ? { state: 'done', rows: answer.value.result, ms, isKept: answer.headers.get('x-cache') === 'hit' }
        : { state: 'failed', problem: answer.problem, own },
    )
  }

  return (
    <div className="grid min-w-0 items-start gap-4 wide:grid-cols-[340px_minmax(0,1fr)]">
      <form
        className="flex min-w-0 flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Card title="Parameters">
          <div className="flex flex-col gap-3 p-3">
            {parameters.length === 0 && <p className="text-soft">The query has none. @name in it makes one.</p>}
            {parameters.map((name) => (
              <Field key={name} label={name}>
                <TextInput
                  value={values[name] ?? ''}
                  onChange={({ target }) => changeValue(name, target.value)}
                  placeholder="NULL"
                  autoComplete="off"
                  isData
                />
              </Field>
            ))}
            {sandboxable && (
              <Field label="Query" help="A query of your own sees the WITH queries of the endpoint, and nothing else.">
                <Select
                  value={kind}
                  onChange={(value) => changeQuery({ own: value === 'none' ? '' : value }, { replace: true })}
                  options={OWN}
                />
              </Field>
            )}
            {kind === 'sql' && (
              <QueryField label="My SQL" value={own} onChange={setOwn} onSubmit={() => void run()} mark={mark} />
            )}
            {kind === 'lql' && (
              <Field label="My LQL">
                <TextInput value={own} onChange={({ target }) => setOwn(target.value)} autoComplete="off" isData />
              </Field>
            )}
            <Button kind="primary" type="submit" icon={Play} isBusy={outcome.state === 'running'}>
              Call endpoint
            </Button>
          </div>
        </Card>
        {!endpoint.enable_auth && <Unsecured />}
        <CodeBlock code={endpoint.query} label="query of the endpoint" isWrapped />
      </form>
      <Card title={<Summary outcome={outcome} />}>
        {outcome.state === 'idle' && (
          <EmptyState icon={Play} title="Not called yet">
            Fill in the parameters and call it. The call counts like any other, and answers may come from the cache.
          </EmptyState>
        )}
        {outcome.state === 'running' && <Loading label="The endpoint is asked" />}
        {outcome.state === 'failed' && <ErrorState error={outcome.problem} title="The call was refused" />}
        {outcome.state === 'done' &&
          (outcome.rows.length === 0 ? (
            <EmptyState icon={Play} title="No rows">
              The endpoint answered, and found nothing for these values.
            </EmptyState>
          ) : (
            <ResultTable rows={outcome.rows} label="Answer" />
          ))}
      </Card>
    </div>
  )
}

function Summary({ outcome }: { outcome: Outcome }) {
  if (outcome.state !== 'done') return 'Answer'
  return (
    <span role="status" className="flex items-center gap-2">
      {count(outcome.rows.length)} {outcome.rows.length === 1 ? 'row' : 'rows'} · {count(outcome.ms)} ms
      {outcome.isKept ? <Badge tone="accent">from the cache</Badge> : <Badge>fresh</Badge>}
    </span>
  )
}

const Unsecured = () => (
  <p className="flex gap-2 rounded-base bg-warn-soft px-3 py-2 text-warn">
    <TriangleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
    Everybody who knows the address may call this endpoint. It can be made to need a token in its settings.
  </p>
)
