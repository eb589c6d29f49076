import { Link } from '@tanstack/react-router'
import type { AlertRecord } from '../../api/records.ts'
import { ago } from '../../design/numbers.ts'
import { type Column, Table } from '../../design/table.tsx'
import { scheduleText } from './schedule.ts'
import { StateBadge } from './state-badge.tsx'

export function AlertTable({ alerts }: { alerts: readonly AlertRecord[] }) {
  return <Table label="Alerts" columns={COLUMNS} rows={alerts} keyOf={({ token }) => token} />
}

const COLUMNS: Column<AlertRecord>[] = [
  { id: 'name', header: 'Name', cell: (alert) => <Name alert={alert} /> },
  { id: 'state', header: 'State', width: 'wide:w-24', cell: (alert) => <StateBadge alert={alert} /> },
  {
    id: 'schedule',
    header: 'Runs',
    isWideOnly: true,
    width: 'wide:w-56',
    cell: ({ cron, timezone }) => (
      <span title={cron}>
        {scheduleText(cron)}
        {timezone !== 'UTC' && <span className="pl-1.5 text-small text-faint">{timezone}</span>}
      </span>
    ),
  },
  { id: 'next', header: 'Next', width: 'wide:w-28', cell: ({ next_run_at }) => <When at={next_run_at} /> },
  {
    id: 'last',
    header: 'Last run',
    width: 'wide:w-28',
    isWideOnly: true,
    cell: ({ last_run_at }) => <When at={last_run_at} />,
  },
  {
    id: 'since',
    header: 'Since',
    width: 'wide:w-28',
    isWideOnly: true,
    cell: ({ state_since, last_error }) => (
      <span title={last_error ?? undefined}>
        <When at={state_since} />
      </span>
    ),
  },
  { id: 'told', header: 'Tells', isWideOnly: true, width: 'wide:w-48', cell: (alert) => placesText(alert) },
]

function Name({ alert: { token, name, description } }: { alert: AlertRecord }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Link to={`/alerts/${token}`} className="font-medium [overflow-wrap:anywhere] hover:text-accent">
        {name}
      </Link>
      {description && <span className="truncate text-small text-faint max-wide:hidden">{description}</span>}
    </span>
  )
}

export function When({ at }: { at: string | null }) {
  if (at === null) return <span className="text-faint">–</span>
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {ago(at, Date.now())}
    </time>
  )
}

type Places = Pick<AlertRecord, 'webhook_notification_url' | 'slack_hook_url' | 'emails' | 'backend_ids'>

export function placesText({ webhook_notification_url, slack_hook_url, emails, backend_ids }: Places): string {
  const places = [
    webhook_notification_url !== null && 'webhook',
    slack_hook_url !== null && 'Slack',
    emails.length > 0 && (emails.length === 1 ? '1 address' : `${emails.length} addresses`),
    backend_ids.length > 0 && (backend_ids.length === 1 ? '1 backend' : `${backend_ids.length} backends`),
  ].filter(Boolean)
  return places.length === 0 ? 'nobody' : places.join(', ')
}
