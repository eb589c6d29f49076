/**
 * Rows and columns, in groups where there are any. Scrolls sideways on its own when narrow; a column may leave on small
 * screens.
 */
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Column<Row> = {
  id: string
  header: ReactNode
  cell(row: Row): ReactNode
  align?: 'left' | 'right'
  /** Tailwind width, such as `wide:w-40`. */
  width?: string
  /** Left out below the wide breakpoint. */
  isWideOnly?: boolean
}

export type RowGroup<Row> = { name: string; rows: readonly Row[] }

type Props<Row> = {
  /** What the table lists, for screen readers. */
  label: string
  columns: Column<Row>[]
  keyOf(row: Row): string | number
  /** A press anywhere in a row. The row must hold a link or button that does the same, for the keyboard. */
  onOpen?(row: Row): void
} & ({ rows: readonly Row[] } | { groups: readonly RowGroup<Row>[] })

export function Table<Row>({ label, columns, keyOf, onOpen, ...content }: Props<Row>) {
  const groups: readonly RowGroup<Row>[] = 'groups' in content ? content.groups : [{ name: '', rows: content.rows }]
  const cellOf = ({ align, isWideOnly }: Column<Row>): string =>
    classes(
      'px-2 first:pl-3 last:pr-3 wide:px-3',
      align === 'right' ? 'text-right tabular-nums' : 'text-left',
      isWideOnly && 'max-wide:hidden',
    )
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} className="w-full border-collapse">
        <thead>
          <tr className="text-small text-faint">
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
        {groups.map(({ name, rows }) => (
          <tbody key={name}>
            {name !== '' && (
              <tr className="border-t border-line bg-sunken">
                <th
                  scope="rowgroup"
                  colSpan={columns.length}
                  className="h-7 px-3 text-left text-small font-semibold text-soft"
                >
                  {name} <span className="pl-1 font-normal text-faint tabular-nums">{rows.length}</span>
                </th>
              </tr>
            )}
            {rows.map((row) => (
              <tr
                key={keyOf(row)}
                className={classes('border-t border-line hover:bg-hover', onOpen && 'cursor-pointer')}
                {...(onOpen ? { onClick: () => onOpen(row) } : {})}
              >
                {columns.map((column) => (
                  <td key={column.id} className={classes(cellOf(column), 'h-9')}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}
