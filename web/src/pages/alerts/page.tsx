/** All alerts: what fires, when they run next, and whom they tell. */
import { Link } from '@tanstack/react-router'
import { Bell, Plus } from 'lucide-react'
import { useAlerts } from '../../api/alerts.ts'
import type { AlertRecord } from '../../api/records.ts'
import { useMay } from '../../api/role.ts'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { count } from '../../design/numbers.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { AlertTable } from './alert-table.tsx'

/** What needs somebody comes first. */
const RANK: Record<AlertRecord['state'], number> = { firing: 0, failing: 1, muted: 2, waiting: 3, ok: 3 }

export function Page() {
  const alerts = useAlerts()
  const mayWrite = useMay('member')
  const all = (alerts.data ?? []).toSorted((a, b) => RANK[a.state] - RANK[b.state] || a.name.localeCompare(b.name))
  const firing = all.filter(({ state }) => state === 'firing').length
  return (
    <>
      <PageHeader
        title="Alerts"
        description={
          all.length > 0
            ? `${count(all.length)} ${all.length === 1 ? 'alert' : 'alerts'} · ${firing === 0 ? 'none fires' : `${firing} firing`}`
            : 'Queries that watch and tell you.'
        }
        actions={all.length > 0 && mayWrite && <NewAlert />}
      />
      <div className="flex flex-col gap-4 px-4 pb-8 wide:px-6">
        {alerts.isPending && (
          <Card>
            <Loading label="Loading alerts" />
          </Card>
        )}
        {alerts.isError && !alerts.data && (
          <ErrorState error={alerts.error} onRetry={() => alerts.refetch()} isRetrying={alerts.isFetching} />
        )}
        {alerts.data?.length === 0 && (
          <EmptyState icon={Bell} title="No alerts yet" action={mayWrite && <NewAlert />}>
            An alert runs a query on a schedule. When what it finds meets the condition, it tells a webhook, Slack, mail
            addresses or a backend.
          </EmptyState>
        )}
        {all.length > 0 && (
          <Card>
            <AlertTable alerts={all} />
          </Card>
        )}
      </div>
    </>
  )
}

const NewAlert = () => (
  <Link to="/alerts/new" className={buttonClasses('primary')}>
    <Plus size={14} aria-hidden />
    New alert
  </Link>
)
