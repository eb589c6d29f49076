type Row = { key: string; color: string; text: string }

/** What a bar holds, beside the pointer and always within the chart. */
export function BarsTip({ left, title, rows }: { left: number; title: string; rows: Row[] }) {
  return (
    <div
      aria-live="polite"
      className="pointer-events-none absolute top-1 z-10 min-w-32 rounded-small border border-line bg-raised px-2 py-1 text-small shadow-high"
      style={{ left: `clamp(0px, ${left}px + 12px, 100% - 200px)` }}
    >
      <div className="whitespace-nowrap text-faint tabular-nums">{title}</div>
      {rows.map(({ key, color, text }) => (
        <div key={key} className="flex items-center gap-2">
          <span className="size-2 shrink-0 rounded-full" style={{ background: `var(${color})` }} />
          <span className="grow">{key}</span>
          <span className="tabular-nums">{text}</span>
        </div>
      ))}
      {rows.length === 0 && <div className="text-faint">nothing</div>}
    </div>
  )
}
