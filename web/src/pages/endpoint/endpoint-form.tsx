/** Every setting of an endpoint, with what it does. Saving writes the next version. */
import { useMemo, useState } from 'react'
import { useSaveEndpoint } from '../../api/endpoints.ts'
import type { EndpointRecord } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { Switch } from '../../design/toggle.tsx'
import { EngineField } from '../../editor/engine-field.tsx'
import { markOf } from '../../editor/mark.ts'
import { QueryField } from '../../editor/query-field.tsx'
import { type Draft, draftOf, settingsOf } from './draft.ts'

type Props = {
  /** Null for a new one. */
  endpoint: EndpointRecord | null
  /** What a new one begins with. */
  query?: string
  isReadOnly?: boolean
  onSaved(endpoint: EndpointRecord): void
}

export function EndpointForm({ endpoint, query = '', isReadOnly = false, onSaved }: Props) {
  const save = useSaveEndpoint(endpoint?.token ?? null)
  const before = useMemo(() => draftOf(endpoint, query), [endpoint, query])
  const [draft, setDraft] = useState(before)
  const errors = save.error instanceof Problem ? save.error.fields : {}
  const isRefused = save.variables?.query === draft.query
  const mark = useMemo(() => (isRefused ? markOf(save.error) : null), [save.error, isRefused])
  const change = (changes: Partial<Draft>): void => setDraft((draft) => ({ ...draft, ...changes }))
  const text = (name: 'name' | 'description' | 'labels' | NumberField) => ({
    name,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before)
  const submit = (): void => save.mutate(settingsOf(draft), { onSuccess: onSaved })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <fieldset disabled={isReadOnly} className="grid min-w-0 items-start gap-4 wide:grid-cols-[minmax(0,1fr)_340px]">
        <div className="flex min-w-0 flex-col gap-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field
              label="Name"
              error={errors.name}
              help="Callers may use it in the address, and other queries as a table."
            >
              <TextInput {...text('name')} required maxLength={255} autoComplete="off" isData autoFocus={!endpoint} />
            </Field>
            <Field label="Description" isOptional error={errors.description}>
              <TextInput {...text('description')} autoComplete="off" />
            </Field>
          </div>
          <QueryField
            label="Query"
            isTall
            value={draft.query}
            onChange={(query) => change({ query })}
            error={errors.query}
            mark={mark}
            isReadOnly={isReadOnly}
            help="One SELECT. @name is a parameter that callers fill in; one that is left out is NULL."
          />
          <EngineField
            backendId={draft.backend_id}
            error={errors.backend_id ?? errors.language}
            isDisabled={isReadOnly}
            onChange={(backend_id, language) => change({ backend_id, language })}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Access">
            <div className="flex flex-col gap-4 p-3">
              <Switch
                label="Needs a token"
                help="Off: everybody who knows the address may call it. By its name it can be called only with a token."
                isOn={draft.enable_auth}
                isDisabled={isReadOnly}
                onChange={(enable_auth) => change({ enable_auth })}
              />
              <Switch
                label="Callers may bring their own query"
                help="SQL or LQL over the WITH queries of this one, and over nothing else."
                isOn={draft.sandboxable}
                isDisabled={isReadOnly}
                onChange={(sandboxable) => change({ sandboxable })}
              />
              <Switch
                label="Hide IP addresses"
                help="Addresses in any text of the answer are replaced on the way out."
                isOn={draft.redact_pii}
                isDisabled={isReadOnly}
                onChange={(redact_pii) => change({ redact_pii })}
              />
            </div>
          </Card>
          <Card title="Cache and limits">
            <div className="flex flex-col gap-4 p-3">
              <Field
                label="Keep answers for, in seconds"
                error={errors.cache_duration_seconds}
                help="0 asks again with every call. Any change of the endpoint clears what is kept."
              >
                <TextInput {...text('cache_duration_seconds')} type="number" min={0} max={31_536_000} required />
              </Field>
              <Field
                label="Ask again every, in seconds"
                error={errors.proactive_requerying_seconds}
                help="Renews kept answers before they are asked for. 0 is off."
              >
                <TextInput {...text('proactive_requerying_seconds')} type="number" min={0} max={31_536_000} required />
              </Field>
              <Field label="Rows at most" error={errors.max_limit} help="1 to 10,000.">
                <TextInput {...text('max_limit')} type="number" min={1} max={10_000} required />
              </Field>
            </div>
          </Card>
          <Card title="More">
            <div className="flex flex-col gap-4 p-3">
              <Field
                label="Labels"
                isOptional
                error={errors.labels}
                help="Noted with each query. Comma-separated: key=value, key=@parameter, or key for callers to fill in."
              >
                <TextArea {...text('labels')} rows={2} isData />
              </Field>
              <Switch
                label="Dynamic reservation"
                help="Kept for a BigQuery backend. The engine of this service has no reservations."
                isOn={draft.enable_dynamic_reservation}
                isDisabled={isReadOnly}
                onChange={(enable_dynamic_reservation) => change({ enable_dynamic_reservation })}
              />
            </div>
          </Card>
        </div>
        {isReadOnly ? (
          <p className="text-soft">To change an endpoint you need the role member.</p>
        ) : (
          <div className="flex flex-wrap items-center gap-3">
            <Button kind="primary" type="submit" isBusy={save.isPending} disabled={!isChanged && endpoint !== null}>
              {endpoint ? 'Save as next version' : 'Create endpoint'}
            </Button>
            {endpoint && isChanged && <Button onClick={() => setDraft(before)}>Undo changes</Button>}
            {save.isError && (
              <p role="alert" className="min-w-0 text-danger">
                {Object.keys(errors).length > 0
                  ? 'Not saved: see what is said at the fields.'
                  : sentenceOfError(save.error)}
              </p>
            )}
          </div>
        )}
      </fieldset>
    </form>
  )
}

type NumberField = 'cache_duration_seconds' | 'proactive_requerying_seconds' | 'max_limit'
