/** Sources that send every event here, and rules that send some. */
import { Link } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { attachedTo, livingIn, useAttach, useDetach, useRulesTo } from '../../api/backends.ts'
import type { BackendRecord, SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useSources } from '../../api/sources.ts'
import { IconButton } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Select } from '../../design/select.tsx'
import { Loading } from '../../design/states.tsx'
import { useToast } from '../../design/toast.tsx'

export function Senders({ backend }: { backend: BackendRecord }) {
  const sources = useSources()
  const rules = useRulesTo(backend.id)
  const attach = useAttach(backend.token)
  const detach = useDetach(backend.token)
  const mayChange = useMay('member')
  const say = useToast()
  const all = sources.data ?? []
  const attached = attachedTo(backend.token, all)
  const living = livingIn(backend.token, all)
  const others = all.filter((source) => !attached.includes(source) && !living.includes(source))
  const nameOf = new Map(all.map(({ token, name }) => [token, name]))
  const tell = (done: string) => ({
    onSuccess: () => say(done),
    onError: (error: unknown) => say(sentenceOfError(error), 'bad'),
  })
  return (
    <Card title="Who sends here">
      {sources.isPending && <Loading rows={2} />}
      {sources.isError && !sources.data && (
        <p role="alert" className="px-3 py-2 text-danger">
          {sentenceOfError(sources.error)}
        </p>
      )}
      {sources.data && attached.length === 0 && living.length === 0 && (rules.data ?? []).length === 0 && (
        <p className="px-3 py-3 text-soft">
          Nothing sends here yet. Attach a source, and it gets every event from then on.
        </p>
      )}
      <ul>
        {living.map((source) => (
          <Attached key={source.token} source={source} what="lives here" />
        ))}
        {attached.map((source) => (
          <Attached
            key={source.token}
            source={source}
            {...(mayChange
              ? { onDetach: () => detach.mutate(source.token, tell(`${source.name} no longer sends here.`)) }
              : {})}
          />
        ))}
        {(rules.data ?? []).map(({ id, lql_string, source }) => (
          <li key={id} className="flex min-h-9 items-center gap-2 border-b border-line px-3 py-1 last:border-b-0">
            <span className="min-w-0 grow [overflow-wrap:anywhere]">
              {nameOf.get(source) ?? source}, when <code className="font-mono text-small">{lql_string}</code>
            </span>
            <span className="text-small text-faint">rule</span>
          </li>
        ))}
      </ul>
      {mayChange && others.length > 0 && (
        <div className="border-t border-line p-2">
          <Select
            label="Attach a source"
            placeholder="Attach a source …"
            value={undefined}
            isDisabled={attach.isPending}
            options={others.map(({ token, name }) => ({ value: token, label: name }))}
            onChange={(token) => attach.mutate(token, tell(`${nameOf.get(token)} sends here from now on.`))}
          />
        </div>
      )}
    </Card>
  )
}

type AttachedProps = { source: SourceRecord; what?: string; onDetach?: () => void }

function Attached({ source: { token, name }, what = 'every event', onDetach }: AttachedProps) {
  return (
    <li className="flex min-h-9 items-center gap-2 border-b border-line px-3 last:border-b-0">
      <Link to={`/sources/${token}`} className="min-w-0 grow font-medium [overflow-wrap:anywhere] hover:text-accent">
        {name}
      </Link>
      <span className="text-small text-faint">{what}</span>
      {onDetach && <IconButton icon={Unplug} size="small" label={`Detach ${name}`} onClick={onDetach} />}
    </li>
  )
}
