/** Who changed what. Names of fields are kept, values never. */
import type { AuditEntry } from '../../api/records.ts'
import { useAuditLog } from '../../api/system.ts'
import { Badge, type Tone } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Moment } from '../../design/moment.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'

const TONES: Record<AuditEntry['action'], Tone> = {
  create: 'good',
  update: 'accent',
  delete: 'danger',
  'log in': 'plain',
  'fail to log in': 'warn',
}

export function AuditLog() {
  const log = useAuditLog(true)
  const entries = log.data?.pages.flat() ?? []
  const columns: Column<AuditEntry>[] = [
    { id: 'at', header: 'When', width: 'wide:w-28', cell: ({ at }) => <Moment at={at} nowMs={log.dataUpdatedAt} /> },
    {
      id: 'who',
      header: 'Who',
      width: 'wide:w-60',
      cell: ({ who, by }) => (
        <span className="[overflow-wrap:anywhere]">
          {who} {by === 'token' && <span className="text-small text-faint">token</span>}
        </span>
      ),
    },
    {
      id: 'action',
      header: 'What',
      width: 'wide:w-64',
      cell: ({ action, kind }) => (
        <span className="flex flex-wrap items-center gap-1.5">
          <Badge tone={TONES[action]}>{action}</Badge>
          <span>{kind}</span>
        </span>
      ),
    },
    {
      id: 'fields',
      header: 'Fields',
      isWideOnly: true,
      cell: ({ fields }) => <span className="text-soft [overflow-wrap:anywhere]">{fields.join(', ')}</span>,
    },
    {
      id: 'record',
      header: 'Record',
      isWideOnly: true,
      width: 'wide:w-32',
      cell: ({ record }) =>
        record && (
          <span className="font-mono text-small" title={record}>
            {record.length > 12 ? `${record.slice(0, 8)}…` : record}
          </span>
        ),
    },
    {
      id: 'address',
      header: 'From',
      isWideOnly: true,
      width: 'wide:w-32',
      cell: ({ address }) => <span className="font-mono text-small">{address}</span>,
    },
  ]
  return (
    <Card>
      {log.isPending && <Loading rows={6} label="Loading changes" />}
      {log.isError && !log.data && <ErrorState error={log.error} onRetry={() => log.refetch()} />}
      {log.data && entries.length === 0 && <p className="px-3 py-3 text-soft">Nothing was changed yet.</p>}
      {entries.length > 0 && <Table label="Changes" columns={columns} rows={entries} keyOf={({ id }) => id} />}
      {log.hasNextPage && (
        <div className="border-t border-line p-2 text-center">
          <Button size="small" kind="quiet" isBusy={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
            Older changes
          </Button>
        </div>
      )}
    </Card>
  )
}
