/** A line without axes, for a trend at a glance. Drawn as one path, cheap enough for a row of a table. */
type Props = { values: readonly number[]; label: string; width?: number; height?: number }

export function Sparkline({ values, label, width = 84, height = 20 }: Props) {
  const top = Math.max(...values, 1)
  const step = values.length > 1 ? width / (values.length - 1) : width
  const points = values.map((value, index) => [index * step, height - 1.5 - (value / top) * (height - 3)] as const)
  const line = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="shrink-0 text-accent"
    >
      {points.length > 1 && values.some((value) => value > 0) ? (
        <>
          <path d={`${line}L${width} ${height}L0 ${height}Z`} fill="currentColor" opacity={0.12} />
          <path d={line} fill="none" stroke="currentColor" strokeWidth={1.25} strokeLinejoin="round" />
        </>
      ) : (
        <path
          d={`M0 ${height - 1.5}L${width} ${height - 1.5}`}
          stroke="currentColor"
          opacity={0.3}
          strokeWidth={1.25}
        />
      )}
    </svg>
  )
}
