/** All backends at a glance: whether they are reached, what waits for them, what they refused. */
import { useNavigate } from '@tanstack/react-router'
import { Plus, Share2 } from 'lucide-react'
import { useBackendStatuses, useBackends, useBackendTypes } from '../../api/backends.ts'
import { useMay } from '../../api/role.ts'
import { useSources } from '../../api/sources.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { BackendTable } from './backend-table.tsx'
import { NewBackend } from './new-backend.tsx'

export function Page() {
  const backends = useBackends()
  const types = useBackendTypes()
  const sources = useSources()
  const all = backends.data ?? []
  const statuses = useBackendStatuses(all.map(({ token }) => token))
  const mayChange = useMay('admin')
  const navigate = useNavigate()
  const [query, changeQuery] = useQueryTexts()
  const setNew = (type: string): void => changeQuery({ new: type }, { replace: true })
  const create = mayChange && (
    <Button kind="primary" icon={Plus} onClick={() => setNew('type')}>
      New backend
    </Button>
  )
  const labels = new Map(types.data?.map(({ type, label }) => [type, label]))
  return (
    <>
      <PageHeader
        title="Backends"
        description={
          mayChange
            ? 'Places outside that events are sent on to, at least once.'
            : 'Places outside that events are sent on to. Changing them needs the role admin.'
        }
        actions={all.length > 0 && create}
      />
      <div className="px-4 pb-8 wide:px-6">
        {backends.isPending && (
          <Card>
            <Loading label="Loading backends" />
          </Card>
        )}
        {backends.isError && !backends.data && (
          <ErrorState error={backends.error} onRetry={() => backends.refetch()} isRetrying={backends.isFetching} />
        )}
        {backends.data?.length === 0 && (
          <EmptyState icon={Share2} title="No backends yet" action={create}>
            A backend gets every event of the sources it is attached to: a webhook, a syslog server, a search cluster.
            Receivers that are away cost disk space, never an event.
          </EmptyState>
        )}
        {all.length > 0 && (
          <Card>
            <BackendTable backends={all} statuses={statuses} sources={sources.data ?? []} labels={labels} />
          </Card>
        )}
      </div>
      <Dialog
        isOpen={query.new !== undefined && mayChange}
        onClose={() => setNew('')}
        width="wide"
        title={labels.has(query.new ?? '') ? `New backend: ${labels.get(query.new ?? '')}` : 'New backend'}
        description={types.data?.find(({ type }) => type === query.new)?.about ?? 'Where should events be sent on to?'}
      >
        <NewBackend
          type={query.new ?? ''}
          onChoose={setNew}
          onCancel={() => setNew('')}
          onCreated={({ token }) => navigate({ to: `/backends/${token}` })}
        />
      </Dialog>
    </>
  )
}
