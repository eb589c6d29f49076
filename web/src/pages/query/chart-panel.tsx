import { ChartLine } from 'lucide-react'
import { useMemo } from 'react'
import type { Row } from '../../api/records.ts'
import { Select } from '../../design/select.tsx'
import { EmptyState } from '../../design/states.tsx'
import { chartData } from '../../results/chart-data.ts'
import { columnsOf } from '../../results/columns.ts'
import { type ChartShape, ResultChart } from '../../results/result-chart.tsx'

const SHAPES = [
  { value: 'line', label: 'Lines' },
  { value: 'bar', label: 'Bars' },
] as const

type Props = { rows: readonly Row[] | null; shape: ChartShape; onShape(shape: ChartShape): void }

export function ChartPanel({ rows, shape, onShape }: Props) {
  const data = useMemo(() => rows && chartData(rows, columnsOf(rows)), [rows])
  if (!data)
    return (
      <EmptyState icon={ChartLine} title="Nothing to draw">
        A chart needs rows with a time and at least one number, such as timestamp_trunc(timestamp, minute) and count(*).
      </EmptyState>
    )
  return (
    <>
      <div className="flex justify-end px-3 pt-3">
        <div className="w-28">
          <Select label="Shape of the chart" value={shape} onChange={onShape} options={SHAPES} />
        </div>
      </div>
      <ResultChart data={data} shape={shape} />
    </>
  )
}
