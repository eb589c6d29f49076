import { Ban } from 'lucide-react'
import type { TokenRecord } from '../../api/records.ts'
import { useSources } from '../../api/sources.ts'
import { Badge, type Tone } from '../../design/badge.tsx'
import { IconButton } from '../../design/button.tsx'
import { ago } from '../../design/numbers.ts'
import { type Column, Table } from '../../design/table.tsx'
import { readScopes, type Scope } from './scopes.ts'
import { useEndpointNames } from './tokens.ts'

type Props = {
  tokens: TokenRecord[]
  nowMs: number
  /** Left out for those who may not. */
  onRevoke?(token: TokenRecord): void
}

export function TokenTable({ tokens, nowMs, onRevoke }: Props) {
  const sources = useSources()
  const endpoints = useEndpointNames()
  const nameOf = (target: string): string =>
    [...(sources.data ?? []), ...(endpoints.data ?? [])].find(({ token }) => token === target)?.name ?? target
  const columns: Column<TokenRecord>[] = [
    {
      id: 'description',
      header: 'Description',
      cell: ({ id, description }) =>
        description ? (
          <span className="block py-1.5 font-medium [overflow-wrap:anywhere]">{description}</span>
        ) : (
          <span className="text-faint">Token {id}</span>
        ),
    },
    { id: 'scopes', header: 'May', cell: ({ scopes }) => <Scopes text={scopes} nameOf={nameOf} /> },
    {
      id: 'used',
      header: 'Last used',
      width: 'wide:w-32',
      cell: ({ last_used_at }) =>
        last_used_at ? <Time at={last_used_at} nowMs={nowMs} /> : <span className="text-faint">never</span>,
    },
    {
      id: 'created',
      header: 'Created',
      width: 'wide:w-32',
      isWideOnly: true,
      cell: ({ inserted_at }) => <Time at={inserted_at} nowMs={nowMs} />,
    },
  ]
  if (onRevoke) {
    columns.push({
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 'w-10',
      cell: (token) => (
        <IconButton
          icon={Ban}
          size="small"
          label={`Revoke ${token.description || `token ${token.id}`}`}
          onClick={() => onRevoke(token)}
        />
      ),
    })
  }
  return <Table label="Access tokens" columns={columns} rows={tokens} keyOf={({ id }) => id} />
}

const TONES: Record<Scope['kind'], Tone> = { management: 'warn', ingest: 'accent', query: 'good' }
const WORDS: Record<Scope['kind'], string> = { management: 'manage', ingest: 'send', query: 'query' }

function Scopes({ text, nameOf }: { text: string; nameOf(target: string): string }) {
  return (
    <span className="flex flex-wrap gap-1 py-1.5">
      {readScopes(text).map(({ word, kind, target }) => (
        <span key={word} title={word} className="flex max-w-full items-center gap-1">
          <Badge tone={TONES[kind]}>{WORDS[kind]}</Badge>
          {target !== null && <span className="mr-1 max-w-48 truncate text-small text-soft">{nameOf(target)}</span>}
        </span>
      ))}
    </span>
  )
}

const Time = ({ at, nowMs }: { at: string; nowMs: number }) => (
  <time dateTime={at} title={at} className="whitespace-nowrap text-soft">
    {ago(at, nowMs)}
  </time>
)
