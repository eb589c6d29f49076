/** Backends that get every event of the source; those that get some of them stand among the rules. */
import { Link } from '@tanstack/react-router'
import { Plus, Share2, Unplug } from 'lucide-react'
import { useState } from 'react'
import type { BackendRecord, RuleRecord, SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useRules } from '../../api/rules.ts'
import { useSources } from '../../api/sources.ts'
import { Badge } from '../../design/badge.tsx'
import { Button, buttonClasses, IconButton } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Select } from '../../design/select.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'
import { useAttach, useBackends } from './attached.ts'
import { RuleDialog } from './rule-dialog.tsx'

export function Backends({ source }: { source: SourceRecord }) {
  const backends = useBackends()
  const [leaving, setLeaving] = useState<BackendRecord | null>(null)
  const mayChange = useMay('member')
  if (backends.isPending) return <Loading />
  if (backends.isError) return <ErrorState error={backends.error} onRetry={() => backends.refetch()} />
  const tokens = new Set(source.backends.map(({ token }) => token))
  const attached = backends.data.filter(({ token }) => tokens.has(token))
  const others = backends.data.filter(({ token }) => !tokens.has(token))
  const columns: Column<BackendRecord>[] = [
    { id: 'name', header: 'Name', cell: ({ name }) => <span className="font-medium break-words">{name}</span> },
    { id: 'type', header: 'Type', width: 'wide:w-40', cell: ({ type }) => <Badge>{type}</Badge> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 'w-12',
      cell: (backend) =>
        mayChange && (
          <IconButton icon={Unplug} size="small" label={`Detach ${backend.name}`} onClick={() => setLeaving(backend)} />
        ),
    },
  ]
  return (
    <div className="flex flex-col gap-4">
      <Card title="Get every event">
        {attached.length > 0 && (
          <Table label="Attached backends" columns={columns} rows={attached} keyOf={({ token }) => token} />
        )}
        {backends.data.length === 0 ? (
          <EmptyState
            icon={Share2}
            title="No backends yet"
            action={
              <Link to="/backends" className={buttonClasses('secondary')}>
                Backends
              </Link>
            }
          >
            A backend is a place outside that events are sent on to. Make one, then attach it here.
          </EmptyState>
        ) : (
          <Attach source={source} others={others} isFirst={attached.length === 0} />
        )}
      </Card>
      {backends.data.length > 0 && <Drains source={source} backends={backends.data} />}
      {leaving && <Detach source={source} backend={leaving} onClose={() => setLeaving(null)} />}
    </div>
  )
}

type AttachProps = { source: SourceRecord; others: BackendRecord[]; isFirst: boolean }

function Attach({ source, others, isFirst }: AttachProps) {
  const [chosen, setChosen] = useState<string>()
  const attach = useAttach(source.token)
  const mayChange = useMay('member')
  const say = useToast()
  if (!mayChange) return isFirst ? <p className="px-3 py-2 text-soft">No backend is attached.</p> : null
  if (others.length === 0) return null
  const backend = others.find(({ token }) => token === chosen)
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-3 first:border-t-0">
      <div className="w-64 max-w-full">
        <Select
          label="Backend to attach"
          placeholder="Choose a backend …"
          value={backend?.token}
          onChange={setChosen}
          options={others.map(({ token, name, type }) => ({ value: token, label: name, hint: type }))}
        />
      </div>
      <Button
        icon={Plus}
        disabled={!backend}
        isBusy={attach.isPending}
        onClick={() =>
          backend &&
          attach.mutate(
            { backend: backend.token, isAttached: true },
            {
              onSuccess: () => say(`${backend.name} gets every event from now on.`),
              onError: (error) => say(sentenceOfError(error), 'bad'),
            },
          )
        }
      >
        Attach
      </Button>
      {isFirst && <p className="text-small text-faint">It gets every event that comes in from now on.</p>}
    </div>
  )
}

function Detach({ source, backend, onClose }: { source: SourceRecord; backend: BackendRecord; onClose(): void }) {
  const attach = useAttach(source.token)
  const say = useToast()
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Detach ${backend.name}?`}
      action="Detach"
      isBusy={attach.isPending}
      error={attach.isError ? sentenceOfError(attach.error) : null}
      onConfirm={() =>
        attach.mutate(
          { backend: backend.token, isAttached: false },
          {
            onSuccess() {
              say(`${backend.name} is detached.`)
              onClose()
            },
          },
        )
      }
    >
      It gets no more events of {source.name}. Events that still wait for it are not sent.
    </ConfirmDialog>
  )
}

function Drains({ source, backends }: { source: SourceRecord; backends: BackendRecord[] }) {
  const rules = useRules()
  const sources = useSources()
  const mayChange = useMay('member')
  const [isOpen, setOpen] = useState(false)
  const drains = (rules.data ?? []).filter(
    ({ source: token, backend_id }) => token === source.token && backend_id !== null,
  )
  const columns: Column<RuleRecord>[] = [
    {
      id: 'lql',
      header: 'Events that match',
      cell: ({ lql_string }) => (
        <code className="block py-1.5 font-mono text-small [overflow-wrap:anywhere]">{lql_string}</code>
      ),
    },
    {
      id: 'backend',
      header: 'Backend',
      width: 'wide:w-64',
      cell: ({ backend_id }) => backends.find(({ id }) => id === backend_id)?.name ?? backend_id,
    },
  ]
  return (
    <Card
      title="Get the events of a rule"
      actions={
        mayChange && (
          <Button size="small" icon={Plus} onClick={() => setOpen(true)}>
            New rule
          </Button>
        )
      }
    >
      {rules.isError && <ErrorState error={rules.error} onRetry={() => rules.refetch()} />}
      {rules.data && drains.length === 0 && (
        <p className="px-3 py-3 text-soft">No rule sends events of this source to a backend.</p>
      )}
      {drains.length > 0 && (
        <>
          <Table label="Rules that send to backends" columns={columns} rows={drains} keyOf={({ token }) => token} />
          <p className="border-t border-line px-3 py-2 text-small text-faint">Edit and delete them under Routing.</p>
        </>
      )}
      {isOpen && (
        <RuleDialog
          source={source}
          rule={null}
          kind="backend"
          sources={sources.data ?? []}
          backends={backends}
          onClose={() => setOpen(false)}
        />
      )}
    </Card>
  )
}
