/** Rules that copy events on: to other sources, or to backends. And what other sources copy here. */
import { Link } from '@tanstack/react-router'
import { ArrowRight, Pencil, Plus, Split, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { BackendRecord, RuleRecord, SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useDeleteRule, useRules } from '../../api/rules.ts'
import { useSources } from '../../api/sources.ts'
import { Badge } from '../../design/badge.tsx'
import { Button, IconButton } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'
import { useBackends } from './attached.ts'
import { RuleDialog } from './rule-dialog.tsx'

type Open = { kind: 'rule'; rule: RuleRecord | null } | { kind: 'delete'; rule: RuleRecord }

export function Rules({ source }: { source: SourceRecord }) {
  const rules = useRules()
  const sources = useSources()
  const backends = useBackends()
  const mayChange = useMay('member')
  const [open, setOpen] = useState<Open | null>(null)
  if (rules.isPending || sources.isPending) return <Loading />
  if (rules.isError) return <ErrorState error={rules.error} onRetry={() => rules.refetch()} />
  if (!sources.data) return <ErrorState error={sources.error} onRetry={() => sources.refetch()} />

  const own = rules.data.filter((rule) => rule.source === source.token)
  const incoming = rules.data.filter((rule) => rule.sink === source.token)
  const nameOf = (token: string): string => sources.data.find((other) => other.token === token)?.name ?? token
  const columns: Column<RuleRecord>[] = [
    { id: 'lql', header: 'Events that match', cell: ({ lql_string }) => <Lql text={lql_string} /> },
    {
      id: 'target',
      header: 'Copied to',
      width: 'wide:w-64',
      cell: (rule) => <Target rule={rule} nameOf={nameOf} backends={backends.data ?? []} />,
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 'w-20',
      cell: (rule) =>
        mayChange && (
          <span className="flex justify-end gap-1">
            <IconButton
              icon={Pencil}
              size="small"
              label={`Edit the rule ${rule.lql_string}`}
              onClick={() => setOpen({ kind: 'rule', rule })}
            />
            <IconButton
              icon={Trash2}
              size="small"
              label={`Delete the rule ${rule.lql_string}`}
              onClick={() => setOpen({ kind: 'delete', rule })}
            />
          </span>
        ),
    },
  ]
  const add = mayChange && (
    <Button size="small" icon={Plus} onClick={() => setOpen({ kind: 'rule', rule: null })}>
      New rule
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      <Card title="Rules of this source" actions={own.length > 0 && add}>
        {own.length > 0 ? (
          <Table label="Rules of this source" columns={columns} rows={own} keyOf={({ token }) => token} />
        ) : (
          <EmptyState icon={Split} title="No rules yet" action={add}>
            A rule copies the events that a search would find to another source, or sends them to a backend. The events
            stay here too.
          </EmptyState>
        )}
      </Card>
      {incoming.length > 0 && (
        <Card title="Copied here from other sources">
          <Table
            label="Rules of other sources that copy here"
            rows={incoming}
            keyOf={({ token }) => token}
            columns={[
              {
                id: 'source',
                header: 'From',
                width: 'wide:w-64',
                cell: (rule) => <SourceLink token={rule.source} name={nameOf(rule.source)} />,
              },
              { id: 'lql', header: 'Events that match', cell: ({ lql_string }) => <Lql text={lql_string} /> },
            ]}
          />
        </Card>
      )}
      {open?.kind === 'rule' && (
        <RuleDialog
          source={source}
          rule={open.rule}
          sources={sources.data}
          backends={backends.data ?? []}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.kind === 'delete' && <DeleteRule rule={open.rule} onClose={() => setOpen(null)} />}
    </div>
  )
}

const Lql = ({ text }: { text: string }) => (
  <code className="block py-1.5 font-mono text-small [overflow-wrap:anywhere]">{text}</code>
)

const SourceLink = ({ token, name }: { token: string; name: string }) => (
  <Link
    to="/sources/$token/settings"
    params={{ token }}
    search={{ tab: 'routing' } as never}
    className="font-medium [overflow-wrap:anywhere] hover:text-accent"
  >
    {name}
  </Link>
)

type TargetProps = { rule: RuleRecord; nameOf(token: string): string; backends: BackendRecord[] }

function Target({ rule: { sink, backend_id }, nameOf, backends }: TargetProps) {
  const backend = backends.find(({ id }) => id === backend_id)
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-2 py-1.5">
      <ArrowRight size={14} className="shrink-0 text-faint" aria-hidden />
      {sink !== null && <SourceLink token={sink} name={nameOf(sink)} />}
      {backend_id !== null && (
        <>
          <span className="font-medium">{backend?.name ?? `Backend ${backend_id}`}</span>
          <Badge>{backend?.type ?? 'backend'}</Badge>
        </>
      )}
    </span>
  )
}

export function DeleteRule({ rule, onClose }: { rule: RuleRecord; onClose(): void }) {
  const remove = useDeleteRule()
  const say = useToast()
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Delete this rule?"
      action="Delete rule"
      isBusy={remove.isPending}
      error={remove.isError ? sentenceOfError(remove.error) : null}
      onConfirm={() =>
        remove.mutate(rule.token, {
          onSuccess() {
            say('The rule is deleted.')
            onClose()
          },
        })
      }
    >
      <p className="mb-2">
        <Lql text={rule.lql_string} />
      </p>
      It acts on no event from now on. Events that it copied stay where they are.
    </ConfirmDialog>
  )
}
