import { Link } from '@tanstack/react-router'
import { attachedTo, livingIn } from '../../api/backends.ts'
import type { BackendRecord, BackendStatus, SourceRecord } from '../../api/records.ts'
import { Badge } from '../../design/badge.tsx'
import { count, exactCount } from '../../design/numbers.ts'
import { type Column, Table } from '../../design/table.tsx'
import { StateBadge } from './state-badge.tsx'

type Props = {
  backends: readonly BackendRecord[]
  statuses: ReadonlyMap<string, BackendStatus>
  sources: readonly SourceRecord[]
  /** Of types. */
  labels: ReadonlyMap<string, string>
}

export function BackendTable({ backends, statuses, sources, labels }: Props) {
  const number = (of: 'lag_events' | 'delivered' | 'dead_letters', token: string) => {
    const value = statuses.get(token)?.[of]
    return value === undefined ? '' : <span title={exactCount(value)}>{count(value)}</span>
  }
  const columns: Column<BackendRecord>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: ({ token, name, description }) => (
        <span className="flex min-w-0 items-baseline gap-2">
          <Link to={`/backends/${token}`} className="font-medium [overflow-wrap:anywhere] hover:text-accent">
            {name}
          </Link>
          {livingIn(token, sources).length > 0 && <Badge>home</Badge>}
          {description && <span className="truncate text-small text-faint max-wide:hidden">{description}</span>}
        </span>
      ),
    },
    {
      id: 'type',
      header: 'Type',
      width: 'wide:w-36',
      isWideOnly: true,
      cell: ({ type }) => <span className="whitespace-nowrap">{labels.get(type) ?? type}</span>,
    },
    {
      id: 'state',
      header: 'State',
      width: 'wide:w-28',
      cell: ({ token }) => {
        const status = statuses.get(token)
        return status && <StateBadge state={status.state} isIdle={status.state === 'ok' && isUnused(token, status)} />
      },
    },
    {
      id: 'sources',
      header: 'Sources',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ token }) => attachedTo(token, sources).length + livingIn(token, sources).length,
    },
    {
      id: 'lag',
      header: 'Waiting',
      align: 'right',
      width: 'wide:w-24',
      cell: ({ token }) => number('lag_events', token),
    },
    {
      id: 'delivered',
      header: 'Delivered',
      align: 'right',
      width: 'wide:w-28',
      isWideOnly: true,
      cell: ({ token }) => number('delivered', token),
    },
    {
      id: 'letters',
      header: 'Dead letters',
      align: 'right',
      width: 'wide:w-28',
      cell: ({ token }) =>
        statuses.get(token)?.dead_letters ? (
          <Badge tone="danger">{number('dead_letters', token)}</Badge>
        ) : (
          <span className="text-faint">{number('dead_letters', token)}</span>
        ),
    },
  ]
  /** Rules may send to it too; then something was delivered. */
  const isUnused = (token: string, { delivered, lag_events }: BackendStatus): boolean =>
    attachedTo(token, sources).length === 0 && delivered === 0 && lag_events === 0
  return <Table label="Backends" columns={columns} rows={backends} keyOf={({ token }) => token} />
}
