/** Rows and columns. Scrolls sideways on its own when narrow; a column may hide on small screens. */
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Column<Row> = {
  id: string
  header: ReactNode
  cell(row: Row): ReactNode
  align?: 'left' | 'right'
  /** Tailwind width, such as `w-40`. */
  width?: string
  /** Left out below the wide breakpoint. */
  isWideOnly?: boolean
}

type Props<Row> = {
  /** What the table lists, for screen readers. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string | number
  onOpen?(row: Row): void
}

export function Table<Row>({ label, columns, rows, keyOf, onOpen }: Props<Row>) {
  const cellOf = ({ align, isWideOnly }: Column<Row>): string =>
    classes('h-9 px-3', align === 'right' ? 'text-right tabular-nums' : 'text-left', isWideOnly && 'max-wide:hidden')
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} className="w-full border-collapse">
        <thead>
          <tr className="border-b border-line text-small text-faint">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={classes(cellOf(column), 'h-8 font-medium whitespace-nowrap', column.width)}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={classes('border-b border-line last:border-0 hover:bg-hover', onOpen && 'cursor-pointer')}
              {...(onOpen ? { onClick: () => onOpen(row) } : {})}
            >
              {columns.map((column) => (
                <td key={column.id} className={cellOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
