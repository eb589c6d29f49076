/** What runs now, with a way to end it, and what ran lately. */
import { CircleStop } from 'lucide-react'
import type { LoggedQuery, RunningQuery } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useCancelQuery, useQueryLog, useRunningQueries } from '../../api/system.ts'
import { Badge } from '../../design/badge.tsx'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Moment } from '../../design/moment.tsx'
import { bytes, count } from '../../design/numbers.ts'
import { ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'

export function Queries() {
  return (
    <div className="flex flex-col gap-4">
      <RunningNow />
      <RanLately />
    </div>
  )
}

function RunningNow() {
  const running = useRunningQueries()
  const cancel = useCancelQuery()
  const mayCancel = useMay('member')
  const say = useToast()
  const columns: Column<RunningQuery>[] = [
    {
      id: 'text',
      header: 'Query',
      cell: ({ text }) => (
        <code className="my-1.5 line-clamp-2 font-mono text-small [overflow-wrap:anywhere]">
          {text ?? 'made by a program'}
        </code>
      ),
    },
    {
      id: 'ms',
      header: 'Running for',
      align: 'right',
      width: 'wide:w-36',
      cell: ({ ms, timeout_ms }) => (
        <span className="whitespace-nowrap">
          {(ms / 1000).toFixed(1)} s <span className="text-faint">of {timeout_ms / 1000} s</span>
        </span>
      ),
    },
    {
      id: 'end',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      width: 'w-24',
      cell: ({ id }) =>
        mayCancel && (
          <Button
            size="small"
            icon={CircleStop}
            isBusy={cancel.isPending && cancel.variables === id}
            onClick={() =>
              cancel.mutate(id, {
                onSuccess: () => say('The query is ended.'),
                onError: (error) => say(sentenceOfError(error), 'bad'),
              })
            }
          >
            End
          </Button>
        ),
    },
  ]
  return (
    <Card title="Running now">
      {running.isPending && <Loading rows={1} label="Loading what runs" />}
      {running.isError && !running.data && <ErrorState error={running.error} onRetry={() => running.refetch()} />}
      {running.data?.length === 0 && <p className="px-3 py-3 text-soft">No query runs at this moment.</p>}
      {running.data && running.data.length > 0 && (
        <Table label="Running queries" columns={columns} rows={running.data} keyOf={({ id }) => id} />
      )}
    </Card>
  )
}

const KINDS: Record<LoggedQuery['kind'], string> = {
  query: 'SQL',
  endpoint: 'endpoint',
  requery: 'endpoint, ahead of time',
  alert: 'alert',
}

function RanLately() {
  const log = useQueryLog()
  const columns: Column<LoggedQuery & { id: string }>[] = [
    { id: 'at', header: 'When', width: 'wide:w-28', cell: ({ at }) => <Moment at={at} nowMs={log.dataUpdatedAt} /> },
    {
      id: 'kind',
      header: 'Kind',
      width: 'wide:w-48',
      cell: ({ kind, cached, count: times, error }) => (
        <span className="flex flex-wrap items-center gap-x-1.5">
          {KINDS[kind]}
          {cached && <Badge>kept answer</Badge>}
          {times > 1 && <span className="text-faint">× {count(times)}</span>}
          {error && <span className="text-small text-danger [overflow-wrap:anywhere] wide:hidden">{error}</span>}
        </span>
      ),
    },
    {
      id: 'who',
      header: 'Asked by',
      isWideOnly: true,
      cell: ({ token }) => <span className="[overflow-wrap:anywhere]">{token}</span>,
    },
    {
      id: 'outcome',
      header: 'Rows',
      align: 'right',
      width: 'wide:w-24',
      cell: ({ rows, error }) => (error === null ? count(rows) : <Badge tone="danger">failed</Badge>),
    },
    {
      id: 'bytes',
      header: 'Files opened',
      align: 'right',
      width: 'wide:w-28',
      isWideOnly: true,
      cell: (line) => (line.error === null ? bytes(line.bytes_scanned) : ''),
    },
    {
      id: 'ms',
      header: 'Time',
      align: 'right',
      width: 'wide:w-24',
      cell: ({ ms, error }) => (error === null ? `${count(ms)} ms` : ''),
    },
    {
      id: 'error',
      header: 'Error',
      isWideOnly: true,
      width: 'wide:w-[30%]',
      cell: ({ error }) => error && <span className="line-clamp-2 text-danger [overflow-wrap:anywhere]">{error}</span>,
    },
  ]
  return (
    <Card title="The last 100 questions">
      {log.isPending && <Loading rows={4} label="Loading the log of queries" />}
      {log.isError && !log.data && <ErrorState error={log.error} onRetry={() => log.refetch()} />}
      {log.data?.length === 0 && <p className="px-3 py-3 text-soft">Nobody has asked anything in the last 7 days.</p>}
      {log.data && log.data.length > 0 && (
        <Table
          label="Log of queries"
          columns={columns}
          rows={log.data.map((line, index) => ({ ...line, id: `${line.at} ${index}` }))}
          keyOf={({ id }) => id}
        />
      )}
    </Card>
  )
}
