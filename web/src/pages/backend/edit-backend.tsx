import { useUpdateBackend } from '../../api/backends.ts'
import type { BackendRecord, BackendType } from '../../api/records.ts'
import { Dialog } from '../../design/dialog.tsx'
import { useToast } from '../../design/toast.tsx'
import { BackendForm } from '../backends/backend-form.tsx'

type Props = { backend: BackendRecord; type: BackendType; onClose(): void }

export function EditBackend({ backend, type, onClose }: Props) {
  const update = useUpdateBackend(backend.token)
  const say = useToast()
  return (
    <Dialog isOpen onClose={onClose} width="wide" title={`Edit ${backend.name}`} description="Acts on the next batch.">
      <BackendForm
        type={type}
        stored={backend}
        action="Save"
        problem={update.error}
        isBusy={update.isPending}
        onCancel={onClose}
        onSave={(fields) =>
          update.mutate(fields, {
            onSuccess() {
              say('Saved. The next batch goes out with it.')
              onClose()
            },
          })
        }
      />
    </Dialog>
  )
}
