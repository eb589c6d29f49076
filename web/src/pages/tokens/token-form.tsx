import { useState } from 'react'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useSources } from '../../api/sources.ts'
import { Button } from '../../design/button.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Checkbox } from '../../design/toggle.tsx'
import { AreaPicker } from './area-picker.tsx'
import { type Choice, scopesText } from './scopes.ts'
import { type MadeToken, useCreateToken, useEndpointNames } from './tokens.ts'

type Props = { onMade(token: MadeToken): void; onCancel(): void }

export function TokenForm({ onMade, onCancel }: Props) {
  const create = useCreateToken()
  const sources = useSources()
  const endpoints = useEndpointNames()
  const isOwner = useMay('owner')
  const [description, setDescription] = useState('')
  const [choice, setChoice] = useState<Choice>({ management: false, ingest: 'all', query: 'none' })
  const scopes = scopesText(choice)
  const errors = create.error instanceof Problem ? create.error.fields : {}
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (scopes !== '') create.mutate({ description, scopes }, { onSuccess: onMade })
      }}
    >
      <Field label="Description" error={errors.description} help="Who uses it, so that it can be told from the others.">
        <TextInput
          value={description}
          onChange={({ target }) => setDescription(target.value)}
          placeholder="checkout service, production"
          maxLength={255}
          autoFocus
          autoComplete="off"
        />
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-medium">It may</legend>
        <div className="rounded-base border border-line">
          <AreaPicker
            label="Send events"
            help="Nothing can be read with it."
            noun="sources"
            things={sources.data ?? []}
            area={choice.ingest}
            isDisabled={choice.management}
            onChange={(ingest) => setChoice({ ...choice, ingest })}
          />
          <AreaPicker
            label="Query endpoints"
            help="Only what the endpoints answer."
            noun="endpoints"
            things={endpoints.data ?? []}
            area={choice.query}
            isDisabled={choice.management}
            onChange={(query) => setChoice({ ...choice, query })}
          />
          <div className="border-t border-line px-3 py-3">
            <Checkbox
              label="Manage everything"
              isOn={choice.management}
              isDisabled={!isOwner}
              onChange={(management) => setChoice({ ...choice, management })}
            />
            <p className="pl-6 text-small text-faint">
              {isOwner
                ? 'All settings, all events, and more tokens. Give it to programs of your own only.'
                : 'Only owners can make such a token.'}
            </p>
          </div>
        </div>
        <p className="text-small text-faint">
          {scopes === '' ? (
            'Choose at least one thing that it may do.'
          ) : (
            <>
              Scopes: <code className="font-mono break-all">{scopes}</code>
            </>
          )}
        </p>
      </fieldset>
      {(sources.isError || endpoints.isError || (create.isError && !errors.description)) && (
        <p role="alert" className="text-danger">
          {sentenceOfError(create.error ?? sources.error ?? endpoints.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={scopes === ''} isBusy={create.isPending}>
          Create token
        </Button>
      </div>
    </form>
  )
}
