import { Link, useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, Send, Settings, Star } from 'lucide-react'
import type { SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useChangeSource } from '../../api/sources.ts'
import { Badge } from '../../design/badge.tsx'
import { IconButton } from '../../design/button.tsx'
import { Menu } from '../../design/menu.tsx'
import { bytes, count, exactCount, perSecond } from '../../design/numbers.ts'
import { Sparkline } from '../../design/sparkline.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'
import type { Group } from './groups.ts'
import type { RateHistory } from './rate-history.ts'

type Props = { groups: Group[]; history: RateHistory }

export function SourceTable({ groups, history }: Props) {
  const navigate = useNavigate()
  const columns: Column<SourceRecord>[] = [
    {
      id: 'favourite',
      header: <span className="sr-only">Favourite</span>,
      width: 'w-9',
      cell: (source) => <FavouriteStar source={source} />,
    },
    { id: 'name', header: 'Name', cell: (source) => <Name source={source} /> },
    {
      id: 'rate',
      header: 'Rate',
      align: 'right',
      width: 'wide:w-44',
      cell: ({ token, name, metrics }) => (
        <span className="flex items-center justify-end gap-3">
          <span className="max-wide:hidden">
            <Sparkline values={history.get(token) ?? []} label={`Recent rate of ${name}`} />
          </span>
          <span className="wide:w-14">{perSecond(metrics.rate)}</span>
        </span>
      ),
    },
    {
      id: 'total',
      header: 'Events',
      align: 'right',
      width: 'wide:w-24',
      cell: ({ metrics }) => <span title={exactCount(metrics.total)}>{count(metrics.total)}</span>,
    },
    {
      id: 'bytes',
      header: 'Size',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ metrics }) => bytes(metrics.bytes),
    },
    {
      id: 'fields',
      header: 'Fields',
      align: 'right',
      width: 'wide:w-20',
      isWideOnly: true,
      cell: ({ metrics }) => count(metrics.fields),
    },
    {
      id: 'rejected',
      header: 'Rejected',
      align: 'right',
      width: 'wide:w-24',
      isWideOnly: true,
      cell: ({ metrics }) =>
        metrics.rejected > 0 ? (
          <Badge tone="danger">{count(metrics.rejected)}</Badge>
        ) : (
          <span className="text-faint">0</span>
        ),
    },
    {
      id: 'retention',
      header: 'Kept',
      align: 'right',
      width: 'wide:w-20',
      isWideOnly: true,
      cell: ({ retention_days }) => `${retention_days} d`,
    },
    {
      id: 'more',
      header: <span className="sr-only">Actions</span>,
      width: 'w-10',
      cell: ({ token, name }) => (
        <Menu
          trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} size="small" />}
          items={[
            { label: 'Send events', icon: Send, onChoose: () => navigate({ to: `/sources/${token}/send` }) },
            { label: 'Settings', icon: Settings, onChoose: () => navigate({ to: `/sources/${token}/settings` }) },
          ]}
        />
      ),
    },
  ]
  return <Table label="Sources" columns={columns} groups={groups} keyOf={({ token }) => token} />
}

function Name({ source: { token, name, description } }: { source: SourceRecord }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Link to={`/sources/${token}`} className="font-medium [overflow-wrap:anywhere] hover:text-accent">
        {name}
      </Link>
      {description && <span className="truncate text-small text-faint max-wide:hidden">{description}</span>}
    </span>
  )
}

function FavouriteStar({ source: { token, name, favorite } }: { source: SourceRecord }) {
  const change = useChangeSource()
  const mayChange = useMay('member')
  const say = useToast()
  if (!mayChange) return favorite ? <Star size={14} className="fill-current text-soft" aria-label="Favourite" /> : null
  return (
    <IconButton
      icon={Star}
      size="small"
      label={favorite ? `Remove ${name} from the favourites` : `Make ${name} a favourite`}
      isPressed={favorite}
      className={favorite ? '[&_svg]:fill-current' : ''}
      onClick={() =>
        change.mutate(
          { token, changes: { favorite: !favorite } },
          { onError: (error) => say(sentenceOfError(error), 'bad') },
        )
      }
    />
  )
}
