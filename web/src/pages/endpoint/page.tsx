/** One endpoint: try it, change it, call it from elsewhere, look at its versions and at who asked. */
import { useNavigate } from '@tanstack/react-router'
import { Database, EllipsisVertical, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useDeleteEndpoint, useEndpoint } from '../../api/endpoints.ts'
import type { EndpointRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Badge } from '../../design/badge.tsx'
import { IconButton } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Menu } from '../../design/menu.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { useToast } from '../../design/toast.tsx'
import { QueryLog } from '../../results/query-log.tsx'
import { useParam, useQueryTexts, useTitle } from '../../shell/address.ts'
import { CallPanel } from './call-panel.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { TryOut } from './try-out.tsx'
import { Versions } from './versions.tsx'

export function Page() {
  const token = useParam('token')
  const endpoint = useEndpoint(token)
  useTitle(endpoint.data?.name ?? 'Endpoint')
  if (endpoint.isPending) return <Loading label="Loading the endpoint" />
  if (endpoint.isError)
    return <ErrorState error={endpoint.error} onRetry={() => endpoint.refetch()} isRetrying={endpoint.isFetching} />
  return <Shown key={token} endpoint={endpoint.data} />
}

function Shown({ endpoint }: { endpoint: EndpointRecord }) {
  const { token, name, description, version } = endpoint
  const navigate = useNavigate()
  const say = useToast()
  const mayChange = useMay('member')
  const [query, changeQuery] = useQueryTexts()
  const [isDeleting, setDeleting] = useState(false)
  const remove = useDeleteEndpoint()
  const tabs = [
    { id: 'try', label: 'Try it', content: <TryOut endpoint={endpoint} /> },
    {
      id: 'settings',
      label: 'Settings',
      content: (
        // A new version begins with a new form.
        <EndpointForm
          key={version}
          endpoint={endpoint}
          isReadOnly={!mayChange}
          onSaved={(saved) => say(`Saved as version ${saved.version}.`)}
        />
      ),
    },
    { id: 'call', label: 'Call it', content: <CallPanel endpoint={endpoint} /> },
    { id: 'versions', label: 'Versions', count: version, content: <Versions endpoint={endpoint} /> },
    {
      id: 'log',
      label: 'Log',
      content: (
        <Card>
          <QueryLog endpoint={token} empty="Every call of this endpoint leaves a line here." />
        </Card>
      ),
    },
  ]
  return (
    <>
      <PageHeader
        title={name}
        description={
          <span className="flex flex-wrap items-center gap-2">
            {description}
            <Badge>version {version}</Badge>
            {endpoint.enable_auth ? <Badge>with token</Badge> : <Badge tone="warn">unsecured</Badge>}
            {endpoint.sandboxable && <Badge tone="accent">sandbox</Badge>}
          </span>
        }
        actions={
          <Menu
            trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
            items={[
              {
                label: 'Open in SQL',
                icon: Database,
                onChoose: () =>
                  navigate({
                    to: '/query',
                    search: { sql: endpoint.query, engine: String(endpoint.backend_id ?? '') } as never,
                  }),
              },
              'line',
              {
                label: 'Delete endpoint',
                icon: Trash2,
                isDanger: true,
                isDisabled: !mayChange,
                onChoose: () => setDeleting(true),
              },
            ]}
          />
        }
      />
      <div className="px-4 pb-8 wide:px-6">
        <Tabs
          label="About this endpoint"
          tabs={tabs}
          open={query.tab ?? 'try'}
          onOpen={(tab) => changeQuery({ tab: tab === 'try' ? '' : tab }, { replace: true })}
        />
      </div>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${name}?`}
        action="Delete endpoint"
        nameToType={name}
        isBusy={remove.isPending}
        error={remove.isError ? sentenceOfError(remove.error) : null}
        onConfirm={() => remove.mutate(token, { onSuccess: () => navigate({ to: '/endpoints' }) })}
      >
        Its address stops answering at once, and its versions are gone.
      </ConfirmDialog>
    </>
  )
}
