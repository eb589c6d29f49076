import { useState } from 'react'
import { useLqlCheck } from '../../api/lql.ts'
import type { BackendRecord, RuleRecord, SourceRecord } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { useSaveRule } from '../../api/rules.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { useToast } from '../../design/toast.tsx'
import { LqlNote } from './lql-note.tsx'

type Props = {
  source: SourceRecord
  /** The one to change; null for a new one. */
  rule: RuleRecord | null
  sources: SourceRecord[]
  backends: BackendRecord[]
  /** What a new rule points to at first. */
  kind?: Kind
  onClose(): void
}

type Kind = 'source' | 'backend'
const KINDS = [
  { value: 'source', label: 'Another source', hint: 'copies are stored there' },
  { value: 'backend', label: 'A backend', hint: 'copies leave this service' },
] as const

export function RuleDialog({ source, rule, sources, backends, kind: first = 'source', onClose }: Props) {
  const save = useSaveRule(rule?.token ?? null)
  const say = useToast()
  const [lql, setLql] = useState(rule?.lql_string ?? '')
  const [kind, setKind] = useState<Kind>(rule ? (rule.sink === null ? 'backend' : 'source') : first)
  const [sink, setSink] = useState(rule?.sink ?? undefined)
  const [backendId, setBackendId] = useState(rule?.backend_id ?? undefined)
  const check = useLqlCheck(lql, source.token)
  const errors = save.error instanceof Problem ? save.error.fields : {}
  const targets = sources.filter(({ token }) => token !== source.token)

  const submit = (): void => {
    save.mutate(
      {
        source: source.token,
        lql_string: lql,
        sink: kind === 'source' ? (sink ?? null) : null,
        backend_id: kind === 'backend' ? (backendId ?? null) : null,
      },
      {
        onSuccess() {
          say(rule ? 'The rule is changed.' : 'The rule acts on events from now on.')
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={rule ? 'Edit rule' : 'New rule'}
      description={`Events of ${source.name} that match are copied; they stay here too.`}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="flex flex-col gap-1">
          <Field label="Events that match" error={errors.lql_string} help="Words and conditions as in a search.">
            <TextInput
              value={lql}
              onChange={({ target }) => {
                setLql(target.value)
                save.reset()
              }}
              placeholder="m.level:error -healthcheck"
              autoFocus
              autoComplete="off"
              spellCheck={false}
              isData
            />
          </Field>
          {!errors.lql_string && <LqlNote check={check} />}
        </div>
        <Field label="Are copied to">
          <Select<Kind> value={kind} onChange={setKind} options={KINDS} />
        </Field>
        {kind === 'source' ? (
          <Field
            label="Source"
            error={errors.sink}
            help={targets.length === 0 ? 'There is no other source yet: create one first.' : undefined}
          >
            <Select
              value={sink}
              onChange={(token) => {
                setSink(token)
                save.reset()
              }}
              isDisabled={targets.length === 0}
              options={targets.map(({ token, name, service_name }) => ({
                value: token,
                label: name,
                ...(service_name ? { hint: service_name } : {}),
              }))}
            />
          </Field>
        ) : (
          <Field
            label="Backend"
            error={errors.backend_id ?? errors.sink}
            help={backends.length === 0 ? 'There is no backend yet: create one on the page Backends.' : undefined}
          >
            <Select
              value={backendId === undefined ? undefined : String(backendId)}
              onChange={(id) => {
                setBackendId(Number(id))
                save.reset()
              }}
              isDisabled={backends.length === 0}
              options={backends.map(({ id, name, type }) => ({ value: String(id), label: name, hint: type }))}
            />
          </Field>
        )}
        {save.isError && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-danger">
            {sentenceOfError(save.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isPending}>
            {rule ? 'Save rule' : 'Create rule'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
