/** Every setting of an alert: what it asks, when, what counts, and whom it tells. */
import { useMemo, useState } from 'react'
import { useSaveAlert } from '../../api/alerts.ts'
import type { AlertRecord } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { Switch } from '../../design/toggle.tsx'
import { EngineField } from '../../editor/engine-field.tsx'
import { markOf } from '../../editor/mark.ts'
import { QueryField } from '../../editor/query-field.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { type Draft, draftOf, settingsOf } from './draft.ts'
import { PlaceFields } from './place-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'

type Props = {
  /** Null for a new one. */
  alert: AlertRecord | null
  /** What a new one begins with. */
  query?: string
  isReadOnly?: boolean
  onSaved(alert: AlertRecord): void
}

const LANGUAGES = [
  { value: 'bq_sql', label: 'SQL' },
  { value: 'lql', label: 'LQL' },
] as const

export function AlertForm({ alert, query = '', isReadOnly = false, onSaved }: Props) {
  const save = useSaveAlert(alert?.token ?? null)
  const before = useMemo(() => draftOf(alert, query), [alert, query])
  const [draft, setDraft] = useState(before)
  const errors = save.error instanceof Problem ? save.error.fields : {}
  const isRefused = save.variables?.query === draft.query
  const mark = useMemo(() => (isRefused ? markOf(save.error) : null), [save.error, isRefused])
  const change = (changes: Partial<Draft>): void => setDraft((draft) => ({ ...draft, ...changes }))
  const isLql = draft.language === 'lql'
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(settingsOf(draft), { onSuccess: onSaved })
      }}
    >
      <fieldset disabled={isReadOnly} className="grid min-w-0 items-start gap-4 wide:grid-cols-[minmax(0,1fr)_360px]">
        <div className="flex min-w-0 flex-col gap-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Name" error={errors.name}>
              <TextInput
                value={draft.name}
                onChange={({ target }) => change({ name: target.value })}
                required
                maxLength={255}
                autoComplete="off"
                autoFocus={!alert}
                isData
              />
            </Field>
            <Field label="Description" isOptional error={errors.description}>
              <TextInput
                value={draft.description}
                onChange={({ target }) => change({ description: target.value })}
                autoComplete="off"
              />
            </Field>
          </div>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Language" error={isLql ? errors.language : undefined}>
              <Select
                value={isLql ? 'lql' : 'bq_sql'}
                // LQL reads the warehouse; and SQL begins there again.
                onChange={(language) => change({ language, backend_id: null })}
                options={LANGUAGES}
                isDisabled={isReadOnly}
              />
            </Field>
            {!isLql && (
              <EngineField
                backendId={draft.backend_id}
                error={errors.backend_id ?? errors.language}
                isDisabled={isReadOnly}
                onChange={(backend_id, language) => change({ backend_id, language })}
              />
            )}
          </div>
          {isLql ? (
            <Field label="Query" error={errors.query} help="Name the source with f:name, such as f:shop m.level:error.">
              <TextArea
                value={draft.query}
                onChange={({ target }) => change({ query: target.value })}
                rows={4}
                required
                isData
              />
            </Field>
          ) : (
            <QueryField
              label="Query"
              value={draft.query}
              onChange={(query) => change({ query })}
              error={errors.query}
              mark={mark}
              isReadOnly={isReadOnly}
              help="One SELECT. Keep it to a range of time, so that it stays fast."
            />
          )}
          <div className="grid min-w-0 items-start gap-4 sm:grid-cols-2">
            <Card title="When">
              <ScheduleFields draft={draft} change={change} errors={errors} isReadOnly={isReadOnly} />
            </Card>
            <Card title="What counts">
              <ConditionFields draft={draft} change={change} errors={errors} isReadOnly={isReadOnly} />
            </Card>
          </div>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Whom it tells">
            <PlaceFields draft={draft} change={change} errors={errors} isReadOnly={isReadOnly} />
          </Card>
          <Switch
            label="Enabled"
            help="Off: it does not run by itself."
            isOn={draft.enabled}
            isDisabled={isReadOnly}
            onChange={(enabled) => change({ enabled })}
          />
        </div>
        {isReadOnly ? (
          <p className="text-soft">To change an alert you need the role member.</p>
        ) : (
          <div className="flex flex-wrap items-center gap-3">
            <Button kind="primary" type="submit" isBusy={save.isPending} disabled={!isChanged && alert !== null}>
              {alert ? 'Save changes' : 'Create alert'}
            </Button>
            {alert && isChanged && <Button onClick={() => setDraft(before)}>Undo changes</Button>}
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
