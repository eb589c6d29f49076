/** Lines or bars over time, drawn by uPlot on a canvas. The numbers under the pointer stand in the legend. */
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { count, exactCount } from '../design/numbers.ts'
import type { ChartData } from './chart-data.ts'

export type ChartShape = 'line' | 'bar'

/** In the order in which lines get them. */
const COLORS = [
  '--accent',
  '--level-info',
  '--level-critical',
  '--warn',
  '--danger',
  '--good',
  '--level-debug',
  '--text-soft',
]
const HEIGHT = 320

export function ResultChart({ data, shape }: { data: ChartData; shape: ChartShape }) {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)

  useEffect(() => {
    const element = place.current
    if (!element) return
    const chart = new uPlot(
      optionsOf(data, shape, element.clientWidth, setAt),
      [data.times, ...data.lines.map(({ values }) => values)],
      element,
    )
    const onSize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    onSize.observe(element)
    // The colours are read while drawing, so another theme needs no more than that.
    const onTheme = new MutationObserver(() => chart.redraw())
    onTheme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      onSize.disconnect()
      onTheme.disconnect()
      chart.destroy()
      setAt(null)
    }
  }, [data, shape])

  const shown = at ?? data.times.length - 1
  return (
    <figure className="min-w-0 p-3">
      <div ref={place} style={{ height: HEIGHT }} className="min-w-0" />
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 pt-2 text-small">
        <span className="text-faint tabular-nums">{timeText(data.times[shown])}</span>
        {data.lines.map(({ name, values }, index) => (
          <span key={name} className="flex items-center gap-1.5">
            <span className="size-2 rounded-full" style={{ background: `var(${colorOf(index)})` }} />
            <span className="text-soft">{name}</span>
            <span className="tabular-nums">{numberText(values[shown])}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const colorOf = (index: number): string => COLORS[index % COLORS.length] ?? '--accent'
const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function optionsOf(
  { lines }: ChartData,
  shape: ChartShape,
  width: number,
  onHover: (index: number | null) => void,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => color('--text-faint'),
    font: `11px ${color('--font-ui')}`,
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
  }
  const bars = uPlot.paths.bars?.({ size: [0.8, 40] })
  return {
    width,
    height: HEIGHT,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: { y: { range: (_chart, min, max) => [Math.min(min, 0), max === 0 ? 1 : max * 1.05] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, values: (_chart, at, _axis, _space, step) => at.map(tickText(step)) },
      { ...axis, size: 52, values: (_chart, numbers) => numbers.map((number) => count(number)) },
    ],
    series: [
      {},
      ...lines.map(({ name }, index): uPlot.Series => {
        const own = (): string => color(colorOf(index))
        return shape === 'bar' && bars
          ? { label: name, fill: own, width: 0, paths: bars, points: { show: false } }
          : { label: name, stroke: own, width: 1.5, spanGaps: true }
      }),
    ],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
  }
}

const DAY_S = 86_400

/** As much of a time as tells one tick from the next. */
const tickText =
  (stepS: number) =>
  (seconds: number): string => {
    const text = new Date(seconds * 1000).toISOString()
    if (stepS >= DAY_S) return text.slice(5, 10)
    return text.slice(11, stepS >= 60 ? 16 : 19)
  }

const timeText = (seconds: number | undefined): string =>
  seconds === undefined ? '' : `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : Number.isInteger(value) ? exactCount(value) : String(value)
