import { Link } from '@tanstack/react-router'
import type { EndpointRecord, EndpointUse } from '../../api/records.ts'
import { Badge } from '../../design/badge.tsx'
import { ago, count, exactCount } from '../../design/numbers.ts'
import { type Column, Table } from '../../design/table.tsx'

type Props = { endpoints: readonly EndpointRecord[]; use: ReadonlyMap<string, EndpointUse> | undefined }

export function EndpointTable({ endpoints, use }: Props) {
  const columns: Column<EndpointRecord>[] = [
    { id: 'name', header: 'Name', cell: (endpoint) => <Name endpoint={endpoint} /> },
    {
      id: 'access',
      header: 'Access',
      width: 'wide:w-28',
      cell: ({ enable_auth }) => (enable_auth ? <Badge>with token</Badge> : <Badge tone="warn">unsecured</Badge>),
    },
    {
      id: 'calls',
      header: 'Calls, 7 d',
      align: 'right',
      width: 'wide:w-24',
      cell: ({ token }) => {
        const calls = use?.get(token)?.calls ?? 0
        return <span title={exactCount(calls)}>{count(calls)}</span>
      },
    },
    {
      id: 'hits',
      header: 'From cache',
      align: 'right',
      width: 'wide:w-28',
      isWideOnly: true,
      cell: ({ token, cache_duration_seconds }) => {
        const used = use?.get(token)
        if (cache_duration_seconds === 0) return <span className="text-faint">no cache</span>
        return used && used.calls > 0 ? `${Math.round((100 * used.cached) / used.calls)} %` : <None />
      },
    },
    {
      id: 'ms',
      header: 'Mean',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ token }) => msText(use?.get(token)?.mean_ms),
    },
    {
      id: 'max',
      header: 'Slowest',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ token }) => msText(use?.get(token)?.max_ms),
    },
    {
      id: 'failed',
      header: 'Failed',
      align: 'right',
      width: 'wide:w-20',
      isWideOnly: true,
      cell: ({ token }) => {
        const failed = use?.get(token)?.failed ?? 0
        return failed > 0 ? <Badge tone="danger">{count(failed)}</Badge> : <span className="text-faint">0</span>
      },
    },
    {
      id: 'cache',
      header: 'Kept for',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ cache_duration_seconds }) => durationText(cache_duration_seconds),
    },
    { id: 'version', header: 'Version', align: 'right', width: 'wide:w-20', cell: ({ version }) => version },
  ]
  return <Table label="Endpoints" columns={columns} rows={endpoints} keyOf={({ token }) => token} />
}

function Name({ endpoint: { token, name, description, updated_at } }: { endpoint: EndpointRecord }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Link
        to={`/endpoints/${token}`}
        title={`changed ${ago(updated_at, Date.now())}`}
        className="font-medium [overflow-wrap:anywhere] hover:text-accent"
      >
        {name}
      </Link>
      {description && <span className="truncate text-small text-faint max-wide:hidden">{description}</span>}
    </span>
  )
}

const None = () => <span className="text-faint">–</span>
const msText = (ms: number | null | undefined) => (ms === null || ms === undefined ? <None /> : `${count(ms)} ms`)

const UNITS: [seconds: number, unit: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** `1 h`, `90 s`: the largest unit that says it without a fraction. */
export function durationText(seconds: number): string {
  if (seconds === 0) return '–'
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? [1, 's']
  return `${seconds / size} ${unit}`
}
