/** How the service is doing: its state, what it stores, what runs and ran, and who changed what. */
import { Activity } from 'lucide-react'
import { useMay } from '../../api/role.ts'
import { useSystem } from '../../api/system.ts'
import { Badge } from '../../design/badge.tsx'
import { buttonClasses } from '../../design/button.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { type Tab, Tabs } from '../../design/tabs.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { AuditLog } from './audit-log.tsx'
import { Overview } from './overview.tsx'
import { Queries } from './queries.tsx'
import { Storage } from './storage.tsx'

export function Page() {
  const system = useSystem()
  const maySeeChanges = useMay('admin')
  const [query, changeQuery] = useQueryTexts()
  const { data } = system
  const failed = system.isError && !data && <ErrorState error={system.error} onRetry={() => system.refetch()} />
  const waiting = system.isPending && <Loading label="Loading the state of the service" />
  const tabs: Tab[] = [
    {
      id: 'overview',
      label: 'Overview',
      content: data ? <Overview system={data} nowMs={system.dataUpdatedAt} /> : waiting || failed,
    },
    { id: 'storage', label: 'Storage', content: data ? <Storage sources={data.sources} /> : waiting || failed },
    { id: 'queries', label: 'Queries', content: <Queries /> },
    ...(maySeeChanges ? [{ id: 'changes', label: 'Changes', content: <AuditLog /> }] : []),
  ]
  const open = tabs.find(({ id }) => id === query.tab)?.id ?? 'overview'
  return (
    <>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2">
            System
            {data && <StateBadge state={data.state} isWell={isWell(data)} />}
          </span>
        }
        description="How this service is doing."
        actions={
          <a href="/metrics" className={buttonClasses('secondary')} title="Numbers for Prometheus">
            <Activity size={14} aria-hidden />
            Metrics
          </a>
        }
      />
      <div className="px-4 pb-8 wide:px-6">
        <Tabs
          label="System"
          tabs={tabs}
          open={open}
          onOpen={(tab) => changeQuery({ tab: tab === 'overview' ? '' : tab }, { replace: true })}
        />
      </div>
    </>
  )
}

type Told = { state: string; warehouse: { ready: boolean; damaged: unknown[]; last_error: string | null } }

const isWell = ({ state, warehouse }: Told): boolean =>
  state === 'ready' && warehouse.ready && warehouse.damaged.length === 0 && warehouse.last_error === null

function StateBadge({ state, isWell: well }: { state: string; isWell: boolean }) {
  if (well) return <Badge tone="good">ready</Badge>
  return <Badge tone="warn">{state === 'ready' ? 'needs a look' : state}</Badge>
}
