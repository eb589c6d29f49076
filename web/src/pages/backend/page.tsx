/** One backend: how delivery goes, who sends to it, how it is set up, and what the receiver refused. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useBackend, useBackendStatus, useBackendTypes } from '../../api/backends.ts'
import type { BackendRecord, BackendType } from '../../api/records.ts'
import { useMay } from '../../api/role.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useParam, useQueryTexts, useTitle } from '../../shell/address.ts'
import { ConfigList } from './config-list.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { DeleteBackend } from './delete-backend.tsx'
import { DeliveryStats } from './delivery-stats.tsx'
import { EditBackend } from './edit-backend.tsx'
import { Senders } from './senders.tsx'

export function Page() {
  const token = useParam('token')
  const backend = useBackend(token)
  const types = useBackendTypes()
  if (backend.isPending || types.isPending) return <Loading label="Loading the backend" />
  if (backend.isError) return <ErrorState error={backend.error} onRetry={() => backend.refetch()} />
  if (types.isError) return <ErrorState error={types.error} onRetry={() => types.refetch()} />
  const type = types.data.find((one) => one.type === backend.data.type)
  return <Backend key={token} backend={backend.data} type={type} />
}

function Backend({ backend, type }: { backend: BackendRecord; type: BackendType | undefined }) {
  const { token, name, description } = backend
  useTitle(name)
  const status = useBackendStatus(token)
  const mayChange = useMay('admin')
  const navigate = useNavigate()
  const [query, changeQuery] = useQueryTexts()
  const setEditing = (isOn: boolean): void => changeQuery({ edit: isOn ? 'yes' : '' }, { replace: true })
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <PageHeader
        title={name}
        description={
          <>
            <Link to="/backends" className="underline underline-offset-2 hover:text-text">
              Backends
            </Link>
            {' · '}
            {type?.label ?? backend.type}
            {description && ` · ${description}`}
            {!mayChange && ' · changing it needs the role admin'}
          </>
        }
        actions={
          mayChange && (
            <>
              {type && (
                <Button icon={Pencil} onClick={() => setEditing(true)}>
                  Edit
                </Button>
              )}
              <Button icon={Trash2} onClick={() => setDeleting(true)}>
                Delete
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-col gap-4 px-4 pb-8 wide:px-6">
        <DeliveryStats status={status.data} error={status.error} at={status.dataUpdatedAt} />
        <div className="grid items-start gap-4 wide:grid-cols-2">
          <Senders backend={backend} />
          <Card title="Set-up" actions={mayChange && <ConnectionTest token={token} />}>
            <ConfigList backend={backend} type={type} />
          </Card>
        </div>
        <DeadLetters token={token} count={status.data?.dead_letters ?? 0} />
      </div>
      {type && query.edit !== undefined && mayChange && (
        <EditBackend backend={backend} type={type} onClose={() => setEditing(false)} />
      )}
      {isDeleting && (
        <DeleteBackend
          backend={backend}
          onClose={() => setDeleting(false)}
          onDeleted={() => navigate({ to: '/backends' })}
        />
      )}
    </>
  )
}
