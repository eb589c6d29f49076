/**
 * The rows of an answer. Only those in sight are in the page, so ten thousand cost no more than fifty. A press on a row
 * shows it whole, each value ready to copy.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { Row } from '../api/records.ts'
import { classes } from '../design/classes.ts'
import { exactCount } from '../design/numbers.ts'
import { columnsOf, textOf } from './columns.ts'
import { RowDrawer } from './row-drawer.tsx'

const ROW_PX = 28
/** Rows beyond the edges, so that scrolling shows no gaps. */
const OVERSCAN = 12

export function ResultTable({ rows, label }: { rows: readonly Row[]; label: string }) {
  const columns = useMemo(() => columnsOf(rows), [rows])
  const [open, setOpen] = useState<number | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  })
  const shown = virtual.getVirtualItems()
  const above = shown[0]?.start ?? 0
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)
  const openRow = open === null ? undefined : rows[open]
  return (
    <>
      <div ref={place} className="max-h-[60vh] overflow-auto">
        <table aria-label={label} aria-rowcount={rows.length + 1} className="w-full border-collapse text-small">
          <thead className="sticky top-0 z-10 bg-surface shadow-[0_1px_0_var(--line)]">
            <tr className="text-faint">
              <th scope="col" className="h-7 w-12 pr-2 pl-3 text-right font-medium">
                #
              </th>
              {columns.map(({ name, kind }) => (
                <th
                  key={name}
                  scope="col"
                  className={classes(
                    'h-7 px-3 font-medium whitespace-nowrap',
                    kind === 'number' ? 'text-right' : 'text-left',
                  )}
                >
                  <span className="font-mono text-soft">{name}</span>
                  {kind === 'time' && <span className="pl-1.5 font-normal">UTC</span>}
                </th>
              ))}
              <th aria-hidden className="w-full" />
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Gap height={above} columns={columns.length + 2} />}
            {shown.map(({ index }) => (
              <tr
                key={index}
                aria-rowindex={index + 2}
                onClick={() => setOpen(index)}
                className="h-7 cursor-pointer border-b border-line last:border-b-0 hover:bg-hover"
              >
                <td className="pr-2 pl-3 text-right">
                  <button
                    type="button"
                    aria-label={`Show row ${index + 1}`}
                    className="rounded-small px-0.5 text-faint tabular-nums hover:text-accent"
                  >
                    {exactCount(index + 1)}
                  </button>
                </td>
                {columns.map(({ name, kind }) => (
                  <Cell key={name} value={rows[index]?.[name]} kind={kind} />
                ))}
                <td />
              </tr>
            ))}
            {below > 0 && <Gap height={below} columns={columns.length + 2} />}
          </tbody>
        </table>
      </div>
      {openRow && open !== null && (
        <RowDrawer
          row={openRow}
          number={open + 1}
          count={rows.length}
          onMove={(number) => setOpen(number - 1)}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

function Cell({ value, kind }: { value: unknown; kind: Parameters<typeof textOf>[1] }) {
  const isNull = value === null || value === undefined
  return (
    <td className={classes('max-w-96 px-3 font-mono', kind === 'number' && 'text-right tabular-nums')}>
      <span className={classes('block truncate', isNull && 'text-faint italic')}>{textOf(value, kind)}</span>
    </td>
  )
}

/** Stands for the rows that are not in sight. */
const Gap = ({ height, columns }: { height: number; columns: number }) => (
  <tr aria-hidden>
    <td colSpan={columns} style={{ height }} />
  </tr>
)
