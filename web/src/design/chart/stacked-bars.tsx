/**
 * Bars over time, in layers. A press on a bar chooses it, a drag chooses all it touches; the arrow keys go from bar to
 * bar and Enter chooses. Drawn by uPlot on a canvas, so a thousand bars cost no more than a few.
 */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { exactCount } from '../numbers.ts'
import { BarsTip } from './bars-tip.tsx'

export type Layer = {
  key: string
  /** The name of a colour of the design language: `--level-error`. */
  color: string
  values: readonly number[]
}

type Props = {
  /** What is drawn, in words: its name for screen readers. */
  label: string
  /** Where each bar begins, in milliseconds; all bars are as wide. */
  starts: readonly number[]
  layers: readonly Layer[]
  height?: number
  /** How a time is written on the axis and in the tip. */
  writeTime(ms: number, isShort: boolean): string
  /** The first and the last bar that were chosen. */
  onChoose?(from: number, to: number): void
}

/** A drag shorter than this is a press. */
const DRAG_PX = 4

export function StackedBars({ label, starts, layers, height = 96, writeTime, onChoose }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [hovered, setHovered] = useState<{ index: number; left: number } | null>(null)
  const theme = useThemeOnPage()
  const handlers = useRef({ onChoose, writeTime })
  handlers.current = { onChoose, writeTime }
  const data = useMemo(() => stack(starts, layers), [starts, layers])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme means other colours on the canvas
  useEffect(() => {
    const element = place.current
    if (!element) return
    const chart = new uPlot(
      optionsOf({
        width: element.clientWidth,
        height,
        layers,
        writeTime: (ms) => handlers.current.writeTime(ms, true),
        onHover: setHovered,
        onChoose: (from, to) => handlers.current.onChoose?.(from, to),
      }),
      data,
      element,
    )
    plot.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
      plot.current = null
      setHovered(null)
    }
  }, [data, height, theme])

  const onKey = (event: KeyboardEvent): void => {
    const chart = plot.current
    if (!chart || starts.length === 0) return
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      const index = Math.max(0, Math.min(starts.length - 1, (hovered?.index ?? (step > 0 ? -1 : starts.length)) + step))
      chart.setCursor({ left: chart.valToPos(starts[index]! / 1000, 'x'), top: 10 })
    } else if (event.key === 'Enter' && hovered) onChoose?.(hovered.index, hovered.index)
    else if (event.key === 'Escape') setHovered(null)
  }

  return (
    <div className="relative min-w-0">
      {/* biome-ignore lint/a11y/useSemanticElements: a group of drawn bars has no element of its own */}
      <div
        ref={place}
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go from bar to bar
        tabIndex={0}
        onKeyDown={onKey}
        onBlur={() => setHovered(null)}
        className="min-w-0 rounded-base"
        style={{ height }}
      />
      {hovered && starts[hovered.index] !== undefined && (
        <BarsTip
          left={hovered.left}
          title={writeTime(starts[hovered.index]!, false)}
          rows={layers
            .map(({ key, color, values }) => ({ key, color, text: exactCount(values[hovered.index] ?? 0) }))
            .filter(({ text }) => text !== '0')}
        />
      )}
    </div>
  )
}

/** Each layer stands on the ones below it; the topmost is drawn first, the others over it. */
function stack(starts: readonly number[], layers: readonly Layer[]): uPlot.AlignedData {
  const sums = starts.map(() => 0)
  const stacked = layers.map(({ values }) =>
    values.map((value, i) => {
      sums[i] = (sums[i] ?? 0) + value
      return sums[i]!
    }),
  )
  return [starts.map((ms) => ms / 1000), ...stacked.toReversed()]
}

type Drawn = {
  width: number
  height: number
  layers: readonly Layer[]
  writeTime(ms: number): string
  onHover(hovered: { index: number; left: number } | null): void
  onChoose(from: number, to: number): void
}

function optionsOf({ width, height, layers, writeTime, onHover, onChoose }: Drawn): uPlot.Options {
  const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  const axis: uPlot.Axis = {
    stroke: color('--text-faint'),
    font: `11px ${color('--font-ui')}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  }
  const bars = uPlot.paths.bars!({ size: [0.9, 400], align: 1 })
  return {
    width,
    height,
    padding: [6, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: true, range: wholeBars }, y: { range: (_, _min, max) => [0, Math.max(max, 1)] } },
    axes: [
      {
        ...axis,
        size: 20,
        gap: 2,
        grid: { show: false },
        values: (_, splits) => splits.map((at) => writeTime(at * 1000)),
      },
      { ...axis, size: 44, gap: 4, space: 28, values: (_, splits) => splits.map(shortNumber) },
    ],
    series: [
      {},
      ...layers
        .toReversed()
        .map((layer): uPlot.Series => ({ fill: color(layer.color), width: 0, paths: bars, points: { show: false } })),
    ],
    hooks: {
      setCursor: [
        (chart) => {
          const { left = -1 } = chart.cursor
          const index = left < 0 ? null : barAt(chart, left)
          onHover(index === null ? null : { index, left: left + chart.over.offsetLeft })
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select
          if (wide < DRAG_PX) return
          const [from, to] = [barAt(chart, left), barAt(chart, left + wide)]
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          if (from !== null && to !== null) onChoose(from, to)
        },
      ],
      ready: [
        (chart) => {
          let pressedAt = 0
          chart.over.addEventListener('mousedown', ({ clientX }) => {
            pressedAt = clientX
          })
          chart.over.addEventListener('click', ({ clientX }) => {
            if (Math.abs(clientX - pressedAt) >= DRAG_PX) return
            const index = barAt(chart, clientX - chart.over.getBoundingClientRect().left)
            if (index !== null) onChoose(index, index)
          })
        },
      ],
    },
  }
}

const shortNumber = (value: number): string =>
  value >= 1_000_000
    ? `${value / 1_000_000}M`
    : value >= 1_000
      ? `${value / 1_000}k`
      : Number.isInteger(value)
        ? String(value)
        : ''

/** The last bar needs its own width on the axis. */
function wholeBars(chart: uPlot, min: number, max: number): [number, number] {
  const xs = chart.data[0]
  const step = xs.length > 1 ? xs[1]! - xs[0]! : 60
  return [min, max + step]
}

/** The bar at a place in the plot: the last that begins at or before it. */
function barAt(chart: uPlot, left: number): number | null {
  const at = chart.posToVal(left, 'x')
  const index = chart.data[0].findLastIndex((start) => start <= at)
  return index < 0 ? (chart.data[0].length > 0 ? 0 : null) : index
}

function useThemeOnPage(): string {
  const [theme, setTheme] = useState(() => document.documentElement.dataset.theme ?? '')
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(document.documentElement.dataset.theme ?? ''))
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return theme
}
