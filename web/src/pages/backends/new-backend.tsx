import { useBackendTypes, useCreateBackend } from '../../api/backends.ts'
import type { BackendRecord } from '../../api/records.ts'
import { ErrorState, Loading } from '../../design/states.tsx'
import { BackendForm } from './backend-form.tsx'

type Props = {
  /** The chosen type; anything else offers the choice. */
  type: string
  onChoose(type: string): void
  onCancel(): void
  onCreated(backend: BackendRecord): void
}

export function NewBackend({ type, onChoose, onCancel, onCreated }: Props) {
  const types = useBackendTypes()
  const create = useCreateBackend()
  if (types.isPending) return <Loading label="Loading types" />
  if (types.isError) return <ErrorState error={types.error} onRetry={() => types.refetch()} />
  const chosen = types.data.find((one) => one.type === type)
  if (chosen) {
    return (
      <BackendForm
        key={chosen.type}
        type={chosen}
        stored={null}
        action="Create backend"
        problem={create.error}
        isBusy={create.isPending}
        onCancel={onCancel}
        onSave={(fields) => create.mutate(fields, { onSuccess: onCreated })}
      />
    )
  }
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {types.data.map(({ type: name, label, about }) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => onChoose(name)}
            className="flex h-full w-full flex-col rounded-base border border-line bg-surface px-3 py-2.5 text-left shadow-low hover:border-line-strong hover:bg-hover"
          >
            <span className="font-medium">{label}</span>
            {about && <span className="text-small text-soft">{about}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
