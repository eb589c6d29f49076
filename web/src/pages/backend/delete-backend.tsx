import { attachedTo, useDeleteBackend, useRulesTo } from '../../api/backends.ts'
import type { BackendRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useSources } from '../../api/sources.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog.tsx'

type Props = { backend: BackendRecord; onClose(): void; onDeleted(): void }

/** A backend in use is not deleted: the window says who uses it instead. */
export function DeleteBackend({ backend, onClose, onDeleted }: Props) {
  const sources = useSources()
  const rules = useRulesTo(backend.id)
  const remove = useDeleteBackend(backend.token)
  const attached = attachedTo(backend.token, sources.data ?? [])
  const nameOf = new Map(sources.data?.map(({ token, name }) => [token, name]))
  const users = [
    ...attached.map(({ name }) => `the source ${name}, attached`),
    ...(rules.data ?? []).map(({ source, lql_string }) => `a rule of ${nameOf.get(source) ?? source}: ${lql_string}`),
  ]
  if (users.length > 0) {
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`${backend.name} is in use`}
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <p className="text-soft">It can be deleted when nothing sends to it any more. Now these do:</p>
        <ul className="mt-2 list-disc pl-5">
          {users.map((user) => (
            <li key={user} className="[overflow-wrap:anywhere]">
              {user}
            </li>
          ))}
        </ul>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${backend.name}`}
      action="Delete backend"
      nameToType={backend.name}
      isBusy={remove.isPending}
      error={remove.isError ? sentenceOfError(remove.error) : null}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
    >
      Its set-up and its dead letters will be gone. Events stay in their sources.
    </ConfirmDialog>
  )
}
