/** How many events there are over time, by level or status. A press or a drag looks closer; the way back is beside it. */
import { ZoomOut } from 'lucide-react'
import { useMemo } from 'react'
import { sentenceOfError } from '../../api/request.ts'
import { IconButton } from '../../design/button.tsx'
import { StackedBars } from '../../design/chart/stacked-bars.tsx'
import { exactCount } from '../../design/numbers.ts'
import { Skeleton } from '../../design/states.tsx'
import { colorOf } from './level-looks.ts'
import type { Chart } from './results.ts'
import { fullTime, stampOf } from './times.ts'

type Props = {
  chart: Chart | undefined
  error: unknown
  /** It still shows what was searched before. */
  isOld: boolean
  zone: string
  /** From and to in microseconds, both included. */
  onRange(fromUs: number, toUs: number): void
}

const HEIGHT = 116
const SMALL_HEIGHT = 76
const PERIOD_US: Record<string, number> = {
  second: 1_000_000,
  minute: 60_000_000,
  hour: 3_600_000_000,
  day: 86_400_000_000,
  week: 604_800_000_000,
  month: 2_678_400_000_000,
}

export function Histogram({ chart, error, isOld, zone, onRange }: Props) {
  const drawn = useMemo(() => (chart ? drawnOf(chart) : null), [chart])
  if (error) return <Line>{sentenceOfError(error)}</Line>
  if (!chart || !drawn) {
    return (
      <div
        role="status"
        aria-label="Loading the chart"
        className="flex h-[100px] shrink-0 items-end wide:h-[140px] px-4 py-2 wide:px-6"
      >
        <Skeleton className="h-12 w-full" />
      </div>
    )
  }
  if (drawn.starts.length === 0) return <Line>There is nothing to draw in this time.</Line>
  const period = PERIOD_US[chart.period] ?? PERIOD_US.minute!
  const at = (index: number): number => chart.buckets[index]?.timestamp ?? 0
  const endOf = (index: number): number => (chart.buckets[index + 1]?.timestamp ?? at(index) + period) - 1
  const zoomOut = (): void => {
    const [from, to] = chart.range ?? [at(0), endOf(chart.buckets.length - 1)]
    const half = Math.round((to - from + 1) / 2)
    onRange(Math.max(0, from - half), Math.min(to + half, Date.now() * 1000))
  }
  return (
    <section aria-label="Events over time" aria-busy={isOld} className="shrink-0 px-4 wide:px-6">
      <StackedBars
        label={`${drawn.title}, one bar per ${chart.period}, ${drawn.starts.length} bars. Arrow keys move, Enter zooms in.`}
        starts={drawn.starts}
        layers={drawn.layers}
        height={matchMedia('(min-width: 900px)').matches ? HEIGHT : SMALL_HEIGHT}
        writeTime={(ms, isShort) => (isShort ? shortTime(ms, chart, zone) : fullTime(ms * 1000, zone).slice(0, 19))}
        onChoose={(from, to) => onRange(at(from), endOf(to))}
      />
      <div className="flex min-h-6 flex-wrap items-center gap-x-3 text-tiny text-faint">
        <span>
          {drawn.title} per {chart.period}
        </span>
        {chart.breakdown &&
          drawn.layers.map(({ key, color, values }) => (
            <span key={key} className="flex items-center gap-1">
              <span className="size-2 rounded-full" style={{ background: `var(${color})` }} />
              {key} <span className="tabular-nums">{exactCount(values.reduce((sum, value) => sum + value, 0))}</span>
            </span>
          ))}
        {chart.warnings?.map((warning) => (
          <span key={warning} className="text-warn">
            {warning}
          </span>
        ))}
        <span className="ml-auto">
          <IconButton icon={ZoomOut} size="small" label="Zoom out" onClick={zoomOut} />
        </span>
      </div>
    </section>
  )
}

const Line = ({ children }: { children: string }) => (
  <p className="shrink-0 px-4 py-3 text-small text-faint wide:px-6">{children}</p>
)

function drawnOf(chart: Chart) {
  const aggregate = /c:(\w+\([^)]*\))/.exec(chart.lql)?.[1] ?? 'count(*)'
  const keys = chart.breakdown?.keys ?? []
  const values = (key: string): number[] => chart.buckets.map((bucket) => Number(bucket[key] ?? 0))
  return {
    title: aggregate === 'count(*)' ? 'Events' : aggregate,
    starts: chart.buckets.map(({ timestamp }) => timestamp / 1000),
    layers:
      keys.length === 0
        ? [{ key: aggregate === 'count(*)' ? 'events' : aggregate, color: '--accent', values: values('value') }]
        : keys.map((key) => ({ key, color: colorOf(key), values: values(key) })),
  }
}

/** Dates where bars are days, clock times otherwise. */
function shortTime(ms: number, { period, buckets }: Chart, zone: string): string {
  const { date, time } = stampOf(ms * 1000, zone)
  const spanMs = ((buckets.at(-1)?.timestamp ?? 0) - (buckets[0]?.timestamp ?? 0)) / 1000
  if (['day', 'week', 'month'].includes(period)) return date.slice(5)
  return spanMs > 86_400_000 ? `${date.slice(5)} ${time.slice(0, 5)}` : time.slice(0, period === 'second' ? 8 : 5)
}

/** All events of the chart, when it counts events. */
export function totalOf(chart: Chart | undefined): number | null {
  if (!chart || !/c:count\(\*\)/.test(chart.lql)) return null
  return chart.buckets.reduce((sum, { value }) => sum + Number(value), 0)
}
