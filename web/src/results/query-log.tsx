/** Lines of the log of queries, newest first. */
import { ScrollText } from 'lucide-react'
import { useQueryLog } from '../api/queries.ts'
import type { LoggedQuery } from '../api/records.ts'
import { Badge } from '../design/badge.tsx'
import { ago, bytes, count } from '../design/numbers.ts'
import { EmptyState, ErrorState, Loading } from '../design/states.tsx'
import { type Column, Table } from '../design/table.tsx'

type Props = {
  /** Of one endpoint only. */
  endpoint?: string
  /** Which lines to show; all of them unless told. */
  isShown?(line: LoggedQuery): boolean
  empty: string
}

export function QueryLog({ endpoint, isShown = () => true, empty }: Props) {
  const log = useQueryLog(endpoint === undefined ? {} : { endpoint })
  if (log.isPending) return <Loading label="Loading the log" />
  if (log.isError) return <ErrorState error={log.error} onRetry={() => log.refetch()} isRetrying={log.isFetching} />
  const lines = log.data.filter(isShown).map((line, index) => ({ ...line, index }))
  if (lines.length === 0)
    return (
      <EmptyState icon={ScrollText} title="Nothing in the last seven days">
        {empty}
      </EmptyState>
    )
  return <Table label="Log of queries" columns={COLUMNS} rows={lines} keyOf={({ index }) => index} />
}

const COLUMNS: Column<LoggedQuery & { index: number }>[] = [
  {
    id: 'at',
    header: 'When',
    width: 'w-20',
    cell: ({ at }) => (
      <time dateTime={at} title={at} className="whitespace-nowrap">
        {ago(at, Date.now())}
      </time>
    ),
  },
  { id: 'kind', header: 'Kind', width: 'w-24', cell: (line) => <Kind line={line} /> },
  {
    id: 'who',
    header: 'Asked by',
    isWideOnly: true,
    cell: ({ token }) => token ?? <span className="text-faint">nobody known</span>,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ error, count: times }) => (
      <span className="flex flex-wrap items-center gap-1.5">
        {error === null ? <Badge tone="good">ok</Badge> : <span className="text-small text-danger">{error}</span>}
        {times > 1 && <span className="text-small text-faint">{count(times)} times</span>}
      </span>
    ),
  },
  { id: 'rows', header: 'Rows', align: 'right', width: 'wide:w-20', cell: ({ rows }) => count(rows) },
  {
    id: 'bytes',
    header: 'Read',
    align: 'right',
    width: 'wide:w-24',
    isWideOnly: true,
    cell: ({ bytes_scanned, cached }) => (cached ? '–' : bytes(bytes_scanned)),
  },
  {
    id: 'ms',
    header: 'Took',
    align: 'right',
    width: 'wide:w-24',
    cell: ({ ms, cached }) => (cached ? '–' : `${count(ms)} ms`),
  },
]

function Kind({ line: { kind, cached, version } }: { line: LoggedQuery }) {
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      {kind}
      {version !== null && <span className="text-small text-faint">v{version}</span>}
      {cached && <Badge tone="accent">cached</Badge>}
    </span>
  )
}
