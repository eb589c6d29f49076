import { Link } from '@tanstack/react-router'
import { Rows3 } from 'lucide-react'
import type { StoredSource } from '../../api/records.ts'
import { Card } from '../../design/card.tsx'
import { bytes, count, exactCount } from '../../design/numbers.ts'
import { EmptyState } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'

/** What each source takes, the largest first. */
export function Storage({ sources }: { sources: readonly StoredSource[] }) {
  const most = Math.max(1, ...sources.map((source) => source.bytes))
  const columns: Column<StoredSource>[] = [
    {
      id: 'name',
      header: 'Source',
      cell: ({ token, name }) => (
        <Link to={`/sources/${token}`} className="font-medium [overflow-wrap:anywhere] hover:text-accent">
          {name}
        </Link>
      ),
    },
    {
      id: 'bytes',
      header: 'Size',
      align: 'right',
      width: 'wide:w-64',
      cell: (source) => (
        <span className="flex items-center justify-end gap-3">
          <svg
            aria-hidden="true"
            viewBox="0 0 100 6"
            preserveAspectRatio="none"
            className="h-1.5 w-28 rounded-full bg-sunken text-accent max-wide:hidden"
          >
            <rect width={(source.bytes / most) * 100} height="6" fill="currentColor" />
          </svg>
          <span className="wide:w-16">{bytes(source.bytes)}</span>
        </span>
      ),
    },
    {
      id: 'rows',
      header: 'Events',
      align: 'right',
      width: 'wide:w-28',
      cell: ({ rows, fresh_rows }) => <span title={exactCount(rows + fresh_rows)}>{count(rows + fresh_rows)}</span>,
    },
    {
      id: 'each',
      header: 'Bytes an event',
      align: 'right',
      width: 'wide:w-32',
      isWideOnly: true,
      cell: (source) => (source.rows > 0 ? bytes(source.bytes / source.rows) : ''),
    },
    {
      id: 'fresh',
      header: 'Not in parts',
      align: 'right',
      width: 'wide:w-28',
      isWideOnly: true,
      cell: ({ fresh_rows }) => count(fresh_rows),
    },
    {
      id: 'parts',
      header: 'Parts',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ parts }) => count(parts),
    },
    { id: 'kept', header: 'Kept', align: 'right', width: 'wide:w-24', cell: (source) => `${source.retention_days} d` },
  ]
  return (
    <Card>
      {sources.length === 0 ? (
        <EmptyState icon={Rows3} title="No sources yet">
          Nothing is stored because there is nothing to store it in.
        </EmptyState>
      ) : (
        <Table
          label="Storage"
          columns={columns}
          rows={sources.toSorted((a, b) => b.bytes - a.bytes)}
          keyOf={({ token }) => token}
        />
      )}
    </Card>
  )
}
