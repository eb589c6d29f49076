/** What cannot be undone. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useApi } from '../../api/client.tsx'
import type { SourceRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { exactCount } from '../../design/numbers.ts'
import { useToast } from '../../design/toast.tsx'

export function Danger({ source, mayChange }: { source: SourceRecord; mayChange: boolean }) {
  const api = useApi()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const say = useToast()
  const [open, setOpen] = useState<'clear' | 'delete' | null>(null)
  const path = `/api/sources/${source.token}`
  const clear = useMutation({
    mutationFn: () => api.remove(`${path}/events`),
    async onSuccess() {
      setOpen(null)
      say(`The events of ${source.name} are deleted.`)
      await queries.invalidateQueries()
    },
  })
  const remove = useMutation({
    mutationFn: () => api.remove(path),
    async onSuccess() {
      say(`${source.name} is deleted.`)
      await navigate({ to: '/sources' })
      queries.removeQueries({ queryKey: ['sources', source.token] })
      await queries.invalidateQueries()
    },
  })
  const events = `${exactCount(source.metrics.total)} ${source.metrics.total === 1 ? 'event' : 'events'}`
  return (
    <Card title="Danger zone" className="max-w-3xl">
      <Step title="Delete all events" button="Delete events …" isOff={!mayChange} onPress={() => setOpen('clear')}>
        Settings, fields, rules and tokens stay, and so do events that backends already have. Events that come in later
        are kept.
      </Step>
      <Step title="Delete this source" button="Delete source …" isOff={!mayChange} onPress={() => setOpen('delete')}>
        The source, its events, saved searches and rules go. Senders are refused from then on.
      </Step>
      <ConfirmDialog
        isOpen={open === 'clear'}
        onClose={() => setOpen(null)}
        title={`Delete all events of ${source.name}?`}
        action="Delete events"
        nameToType={source.name}
        isBusy={clear.isPending}
        error={clear.isError ? sentenceOfError(clear.error) : null}
        onConfirm={() => clear.mutate()}
      >
        {events} will be gone and cannot be brought back.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'delete'}
        onClose={() => setOpen(null)}
        title={`Delete ${source.name}?`}
        action="Delete source"
        nameToType={source.name}
        isBusy={remove.isPending}
        error={remove.isError ? sentenceOfError(remove.error) : null}
        onConfirm={() => remove.mutate()}
      >
        The source and its {events} will be gone and cannot be brought back. Rules that copy to it go too.
      </ConfirmDialog>
    </Card>
  )
}

type StepProps = { title: string; button: string; isOff: boolean; onPress(): void; children: ReactNode }

function Step({ title, button, isOff, onPress, children }: StepProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first-of-type:border-t-0">
      <div className="min-w-0 grow basis-60">
        <h3 className="font-medium">{title}</h3>
        <p className="text-small text-soft">{children}</p>
      </div>
      <Button kind="danger" disabled={isOff} onClick={onPress}>
        {button}
      </Button>
    </div>
  )
}
