import { useSetup } from '../../api/client.tsx'
import { useBackends } from '../../api/queries.ts'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Checkbox } from '../../design/toggle.tsx'
import type { PartProps } from './part.ts'

export function PlaceFields({ draft, change, errors, isReadOnly }: PartProps) {
  const backends = useBackends().data ?? []
  const hasMail = useSetup().data?.mail ?? true
  const { backend_ids } = draft
  return (
    <div className="flex flex-col gap-4 p-3">
      <Field label="Webhook" isOptional error={errors.webhook_notification_url} help="Gets the rows as JSON, by POST.">
        <TextInput
          value={draft.webhook_notification_url}
          onChange={({ target }) => change({ webhook_notification_url: target.value })}
          type="url"
          placeholder="https://"
          autoComplete="off"
          isData
        />
      </Field>
      <Field label="Slack" isOptional error={errors.slack_hook_url} help="The address of an incoming webhook.">
        <TextInput
          value={draft.slack_hook_url}
          onChange={({ target }) => change({ slack_hook_url: target.value })}
          type="url"
          placeholder="https://hooks.slack.com/…"
          autoComplete="off"
          isData
        />
      </Field>
      <Field
        label="E-mail addresses"
        isOptional
        error={errors.emails ?? emailErrors(errors)}
        help={hasMail ? 'Separated by commas.' : 'This service cannot send mail: MILLRACE_SMTP_URL is not set.'}
      >
        <TextInput
          value={draft.emails}
          onChange={({ target }) => change({ emails: target.value })}
          autoComplete="off"
          isData
        />
      </Field>
      {backends.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset inside another brings its own look
        <div role="group" aria-label="Backends" className="flex flex-col gap-1.5">
          <span className="font-medium">Backends</span>
          {backends.map(({ id, name, type }) => (
            <Checkbox
              key={id}
              label={`${name} (${type})`}
              isOn={backend_ids.includes(id)}
              isDisabled={isReadOnly}
              onChange={(isOn) =>
                change({ backend_ids: isOn ? [...backend_ids, id] : backend_ids.filter((other) => other !== id) })
              }
            />
          ))}
        </div>
      )}
    </div>
  )
}

/** Of one of the addresses: the service names it by its place in the list. */
const emailErrors = (errors: PartProps['errors']): string[] | undefined =>
  Object.entries(errors).find(([field]) => field.startsWith('emails'))?.[1]
