/** Whom the source tells, and what of: new fields, errors, and events that match a search. */
import { useMutation } from '@tanstack/react-query'
import { Plus, Send, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useApi } from '../../api/client.tsx'
import { sentenceOfError } from '../../api/request.ts'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Field } from '../../design/field.tsx'
import { TextArea, TextInput } from '../../design/input.tsx'
import { Switch } from '../../design/toggle.tsx'
import type { Draft } from './draft.ts'
import { PatternFields } from './pattern-fields.tsx'
import {
  freeName,
  isTelling,
  isTold,
  PATTERNS_MAX,
  printNumber,
  readNumber,
  type Notifications as Told,
  withDefaults,
} from './told.ts'

export function Notifications({ draft }: { draft: Draft }) {
  const told = withDefaults(draft.value('notifications'))
  const set = (changes: Partial<Told>): void => draft.set('notifications', { ...told, ...changes })
  const error = (name: string): string[] | undefined => errorOf(draft, name)
  return (
    <div className="grid items-start gap-4 wide:grid-cols-2">
      <Card title="What to tell">
        <div className="flex flex-col gap-4 p-4">
          <Switch
            label="New fields"
            help="The first event with a field that the source did not have, or whose numbers became fractions."
            isOn={told.schema_changes}
            isDisabled={!draft.mayChange}
            onChange={(schema_changes) => set({ schema_changes })}
          />
          <Switch
            label="Errors"
            help="Events that were rejected, and backends that do not take what they are sent."
            isOn={told.errors}
            isDisabled={!draft.mayChange}
            onChange={(errors) => set({ errors })}
          />
          {told.patterns.map((pattern, at) => (
            <PatternFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a pattern has no other name that outlives typing
              key={at}
              token={draft.source.token}
              pattern={pattern}
              isDisabled={!draft.mayChange}
              errorOf={(name) => error(`patterns.${at}.${name}`)}
              onChange={(changed) => set({ patterns: told.patterns.with(at, changed) })}
              onRemove={() => set({ patterns: told.patterns.toSpliced(at, 1) })}
            />
          ))}
          {error('patterns') && (
            <p role="alert" className="text-small text-danger">
              Patterns {error('patterns')?.join(', ')}
            </p>
          )}
          {draft.mayChange && told.patterns.length < PATTERNS_MAX && (
            <div>
              <Button
                size="small"
                icon={Plus}
                onClick={() =>
                  set({
                    patterns: [
                      ...told.patterns,
                      { name: freeName(told.patterns), lql: '', threshold: 1, window_minutes: 10 },
                    ],
                  })
                }
              >
                Add a pattern
              </Button>
              <p className="mt-1 text-small text-faint">Events that a search would find, counted over some minutes.</p>
            </div>
          )}
        </div>
      </Card>
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Whom to tell">
          <div className="flex flex-col gap-4 p-4">
            {isTelling(told) && !isTold(told) && (
              <p className="flex items-start gap-2 rounded-base bg-warn-soft px-3 py-2 text-warn">
                <TriangleAlert size={14} className="mt-[3px] shrink-0" aria-hidden />
                Nobody would hear of it: name an e-mail address, a webhook or a Slack hook.
              </p>
            )}
            <Emails draft={draft} told={told} onChange={(emails) => set({ emails })} />
            <Field label="Webhook" isOptional error={error('webhook_url')} help="Gets each message as JSON, by POST.">
              <TextInput
                type="url"
                isData
                value={told.webhook_url ?? ''}
                placeholder="https://example.com/hooks/logs"
                disabled={!draft.mayChange}
                autoComplete="off"
                onChange={({ target }) => set({ webhook_url: target.value || null })}
              />
            </Field>
            <Field label="Slack" isOptional error={error('slack_hook_url')} help="The address of an incoming webhook.">
              <TextInput
                type="url"
                isData
                value={told.slack_hook_url ?? ''}
                placeholder="https://hooks.slack.com/services/…"
                disabled={!draft.mayChange}
                autoComplete="off"
                onChange={({ target }) => set({ slack_hook_url: target.value || null })}
              />
            </Field>
            <Field
              label="Minutes between messages"
              error={error('every_minutes')}
              help="1 to 1440, for each kind of message. What happens meanwhile is counted in the next one."
            >
              <TextInput
                type="number"
                min={1}
                max={1440}
                className="max-w-32"
                value={printNumber(told.every_minutes)}
                disabled={!draft.mayChange}
                onChange={({ target }) => set({ every_minutes: readNumber(target.value) })}
              />
            </Field>
          </div>
        </Card>
        {draft.mayChange && <TestMessage draft={draft} canSend={isTold(withDefaults(draft.source.notifications))} />}
      </div>
    </div>
  )
}

/** The words for a field of the object, as long as the object was not changed since. */
const errorOf = (draft: Draft, name: string): string[] | undefined => draft.errors[`notifications.${name}`]

function Emails({ draft, told, onChange }: { draft: Draft; told: Told; onChange(emails: string[]): void }) {
  const stored = told.emails.join('\n')
  const [text, setText] = useState(stored)
  const isChanged = 'notifications' in draft.changes
  // What was typed stays as it was typed, until it is saved or discarded.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the end of the change counts
  useEffect(() => {
    if (!isChanged) setText(stored)
  }, [isChanged])
  const errors = Object.entries(draft.errors)
    .filter(([name]) => name === 'notifications.emails' || name.startsWith('notifications.emails.'))
    .map(([name, words]) => `${told.emails[Number(name.split('.')[2])] ?? 'The list'} ${words.join(', ')}`)
  return (
    <Field label="E-mail" isOptional error={errors} help="One address a line, at most 20.">
      <TextArea
        rows={3}
        isData
        value={text}
        placeholder={'oncall@example.com\nada@example.com'}
        disabled={!draft.mayChange}
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value)
          onChange(target.value.split(/[\s,;]+/).filter((address) => address !== ''))
        }}
      />
    </Field>
  )
}

type Delivered = { channel: string; to: string; state: 'pending' | 'sent' | 'failed'; error: string | null }

function TestMessage({ draft, canSend }: { draft: Draft; canSend: boolean }) {
  const api = useApi()
  const test = useMutation({
    mutationFn: () => api.post<{ deliveries: Delivered[] }>(`/api/sources/${draft.source.token}/notifications/test`),
  })
  const isUnsaved = 'notifications' in draft.changes
  return (
    <Card title="Try it">
      <div className="flex flex-col gap-3 p-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button icon={Send} disabled={isUnsaved || !canSend} isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test message
          </Button>
          {(isUnsaved || !canSend) && (
            <p className="text-small text-faint">
              {isUnsaved ? 'Save the changes first.' : 'Save somebody to tell first.'}
            </p>
          )}
        </div>
        {test.isError && (
          <p role="alert" className="text-danger">
            {sentenceOfError(test.error)}
          </p>
        )}
        {test.data && (
          <ul aria-label="Deliveries" className="flex flex-col gap-2">
            {test.data.deliveries.map(({ channel, to, state, error }) => (
              <li key={`${channel} ${to}`} className="flex flex-wrap items-baseline gap-2">
                <Badge tone={state === 'sent' ? 'good' : 'danger'}>{state}</Badge>
                <span className="break-all">
                  {channel} · {to}
                </span>
                {error !== null && <span className="basis-full break-words text-small text-danger">{error}</span>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
