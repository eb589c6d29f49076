/** What came of a run: rows, a refusal, or a word about what to do here. */
import { CircleX, Database, Inbox } from 'lucide-react'
import { useSources } from '../../api/sources.ts'
import { Button } from '../../design/button.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { ResultTable } from '../../results/result-table.tsx'
import { examplesFor } from './examples.ts'
import type { Run } from './run.ts'

export function Result({ run, onExample }: { run: Run; onExample(sql: string): void }) {
  switch (run.state) {
    case 'idle':
      return <Beginning onExample={onExample} />
    case 'running':
      return <Loading label="The query is running" />
    case 'cancelled':
      return (
        <EmptyState icon={CircleX} title="Cancelled">
          The query was stopped. Nothing was changed.
        </EmptyState>
      )
    case 'failed':
      return <ErrorState error={run.problem} title="The query was refused" />
    case 'done':
      return run.answer.result.length === 0 ? (
        <EmptyState icon={Inbox} title="No rows">
          The query ran and found nothing. Look at its conditions, above all at the time range.
        </EmptyState>
      ) : (
        <ResultTable rows={run.answer.result} label="Result" />
      )
  }
}

function Beginning({ onExample }: { onExample(sql: string): void }) {
  const first = useSources().data?.toSorted((a, b) => b.metrics.total - a.metrics.total)[0]
  return (
    <EmptyState
      icon={Database}
      title="Ask your sources"
      action={
        first &&
        examplesFor(first.name).map(({ label, sql }) => (
          <Button key={label} onClick={() => onExample(sql)}>
            {label}
          </Button>
        ))
      }
    >
      One SELECT over your sources and endpoints, in GoogleSQL. Every source needs a condition on its timestamp.
    </EmptyState>
  )
}
