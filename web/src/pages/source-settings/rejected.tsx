/** Events that were refused, with the reason and what was sent. */
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../../api/client.tsx'
import type { SourceRecord } from '../../api/records.ts'
import { Card } from '../../design/card.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { Drawer } from '../../design/dialog.tsx'
import { ago } from '../../design/numbers.ts'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'

type Rejected = { at: string; reason: string; event: unknown }

const REFRESH_MS = 5_000

export function RejectedEvents({ source }: { source: SourceRecord }) {
  const api = useApi()
  const [open, setOpen] = useState<Rejected | null>(null)
  const rejected = useQuery({
    queryKey: ['rejected', source.token],
    queryFn: ({ signal }) => api.get<Rejected[]>(`/api/sources/${source.token}/rejected`, signal),
    refetchInterval: REFRESH_MS,
  })
  if (rejected.isPending) return <Loading />
  if (rejected.isError) return <ErrorState error={rejected.error} onRetry={() => rejected.refetch()} />
  if (rejected.data.length === 0) {
    return (
      <EmptyState icon={CircleCheck} title="No rejected events">
        An event that cannot be stored is refused alone, and shown here with the reason. The others of its request are
        kept.
      </EmptyState>
    )
  }
  const columns: Column<Rejected>[] = [
    {
      id: 'at',
      header: 'When',
      width: 'w-24',
      cell: ({ at }) => (
        <time dateTime={at} title={at} className="whitespace-nowrap text-soft">
          {ago(at, rejected.dataUpdatedAt)}
        </time>
      ),
    },
    {
      id: 'reason',
      header: 'Reason',
      cell: (row) => (
        <button
          type="button"
          className="py-1.5 text-left [overflow-wrap:anywhere] hover:text-accent"
          onClick={() => setOpen(row)}
        >
          {row.reason}
        </button>
      ),
    },
    {
      id: 'event',
      header: 'Event',
      isWideOnly: true,
      width: 'wide:w-1/2',
      cell: ({ event }) => (
        <code className="block max-w-[36vw] truncate font-mono text-small text-faint">{oneLine(event)}</code>
      ),
    },
  ]
  return (
    <>
      <Card title={rejected.data.length === 1 ? '1 event' : `${rejected.data.length} events, newest first`}>
        <Table<Rejected>
          label="Rejected events"
          columns={columns}
          rows={rejected.data}
          keyOf={(row) => rejected.data.indexOf(row)}
          onOpen={setOpen}
        />
      </Card>
      {open && (
        <Drawer isOpen onClose={() => setOpen(null)} title="Rejected event" width="wide">
          <p className="mb-3 text-danger">{open.reason}</p>
          <p className="mb-3 text-small text-faint">{open.at.replace('T', ' ').replace('Z', ' UTC')}</p>
          <CodeBlock code={inFull(open.event)} label="rejected event" isWrapped />
        </Drawer>
      )}
    </>
  )
}

const oneLine = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event)).slice(0, 300)
const inFull = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event, null, 2))
