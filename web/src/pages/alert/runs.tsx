/** What became of past runs: the outcome, and whether those it names could be reached. */
import { History } from 'lucide-react'
import { useAlertRuns } from '../../api/alerts.ts'
import type { AlertRun } from '../../api/records.ts'
import { Badge, type Tone } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { count } from '../../design/numbers.ts'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { When } from '../alerts/alert-table.tsx'

const OUTCOMES: Record<AlertRun['outcome'], Tone> = {
  ok: 'good',
  firing: 'danger',
  resolved: 'accent',
  failed: 'warn',
  missed: 'plain',
}
const DELIVERIES: Record<AlertRun['deliveries'][number]['state'], Tone> = {
  pending: 'plain',
  sent: 'good',
  failed: 'danger',
}

export function Runs({ token }: { token: string }) {
  const runs = useAlertRuns(token)
  if (runs.isPending) return <Loading label="Loading the history" />
  if (runs.isError) return <ErrorState error={runs.error} onRetry={() => runs.refetch()} isRetrying={runs.isFetching} />
  return (
    <Card>
      {runs.data.length === 0 ? (
        <EmptyState icon={History} title="It has not run yet">
          Each run leaves a line here, those of 30 days. Run it now to see what it finds.
        </EmptyState>
      ) : (
        <Table label="Runs" columns={COLUMNS} rows={runs.data} keyOf={({ id }) => id} />
      )}
    </Card>
  )
}

const COLUMNS: Column<AlertRun>[] = [
  { id: 'at', header: 'When', width: 'w-24', cell: ({ at }) => <When at={at} /> },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ outcome, missed, error, muted }) => (
      <span className="flex flex-wrap items-center gap-1.5">
        <Badge tone={OUTCOMES[outcome]}>{outcome === 'missed' ? `missed ${count(missed)}` : outcome}</Badge>
        {muted && <Badge>muted</Badge>}
        {error && <span className="text-small text-danger">{error}</span>}
      </span>
    ),
  },
  {
    id: 'trigger',
    header: 'Started by',
    isWideOnly: true,
    width: 'wide:w-28',
    cell: ({ trigger }) => (trigger === 'schedule' ? 'schedule' : 'somebody'),
  },
  { id: 'told', header: 'Told', cell: ({ deliveries }) => <Told deliveries={deliveries} /> },
  { id: 'rows', header: 'Rows', align: 'right', width: 'wide:w-20', cell: ({ rows }) => count(rows) },
  {
    id: 'ms',
    header: 'Took',
    align: 'right',
    width: 'wide:w-24',
    isWideOnly: true,
    cell: ({ ms, outcome }) => (outcome === 'missed' ? '–' : `${count(ms)} ms`),
  },
]

function Told({ deliveries }: Pick<AlertRun, 'deliveries'>) {
  if (deliveries.length === 0) return <span className="text-faint">nobody</span>
  return (
    <ul className="flex flex-col gap-1 py-1">
      {deliveries.map(({ channel, to, state, tries, error }) => (
        <li key={`${channel} ${to}`} className="flex flex-wrap items-center gap-1.5 text-small">
          <Badge tone={DELIVERIES[state]}>{state}</Badge>
          {channel} <span className="text-soft">{to}</span>
          {error && (
            <span className="text-danger">
              {error} ({tries} {tries === 1 ? 'try' : 'tries'})
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
