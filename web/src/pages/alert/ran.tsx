/** What a run by hand found. */
import { Bell, Play } from 'lucide-react'
import type { Ran } from '../../api/alerts.ts'
import { Badge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { count } from '../../design/numbers.ts'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { ResultTable } from '../../results/result-table.tsx'

type Props = { ran: Ran | undefined; error: unknown; isRunning: boolean }

export function RanPanel({ ran, error, isRunning }: Props) {
  return (
    <Card title={ran && !isRunning ? <Summary ran={ran} /> : 'What it finds'}>
      {isRunning && <Loading label="The alert is running" />}
      {!isRunning && error !== null && <ErrorState error={error} title="The run failed" />}
      {!isRunning && error === null && !ran && (
        <EmptyState icon={Play} title="Not run by hand yet">
          “Run now” shows what the query finds. Nobody is told unless you ask for it.
        </EmptyState>
      )}
      {!isRunning && error === null && ran && ran.result.length === 0 && (
        <EmptyState icon={Bell} title="No rows">
          The query found nothing: the alert would be silent.
        </EmptyState>
      )}
      {!isRunning && error === null && ran && ran.result.length > 0 && (
        <ResultTable rows={ran.result} label="What it finds" />
      )}
    </Card>
  )
}

function Summary({ ran: { result, fired } }: { ran: Ran }) {
  return (
    <span role="status" className="flex items-center gap-2">
      {count(result.length)} {result.length === 1 ? 'row' : 'rows'}
      {fired === true && <Badge tone="danger">fired</Badge>}
      {fired === false && <Badge tone="good">did not fire</Badge>}
    </span>
  )
}
