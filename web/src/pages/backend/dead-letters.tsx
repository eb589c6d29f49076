/** Events that the receiver will never take as they are: why, and what to do with them. */
import { MailCheck, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type DeadLetter, useDeadLetters, useDiscardLetters, useRetryLetters } from '../../api/backends.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { useSources } from '../../api/sources.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Drawer } from '../../design/dialog.tsx'
import { KeyValueList } from '../../design/key-value-list.tsx'
import { Moment } from '../../design/moment.tsx'
import { exactCount } from '../../design/numbers.ts'
import { ErrorState, Loading } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'

export function DeadLetters({ token, count }: { token: string; count: number }) {
  const letters = useDeadLetters(token, count)
  const sources = useSources()
  const retry = useRetryLetters(token)
  const mayChange = useMay('admin')
  const say = useToast()
  const [open, setOpen] = useState<DeadLetter | null>(null)
  const [isDiscarding, setDiscarding] = useState(false)
  const nameOf = new Map(sources.data?.map((source) => [source.token, source.name]))
  const columns: Column<DeadLetter>[] = [
    {
      id: 'at',
      header: 'Refused',
      width: 'wide:w-28',
      cell: ({ at }) => <Moment at={at} nowMs={letters.dataUpdatedAt} />,
    },
    { id: 'source', header: 'Source', width: 'wide:w-40', isWideOnly: true, cell: (row) => nameOf.get(row.source) },
    {
      id: 'reason',
      header: 'Reason',
      cell: ({ reason }) => <span className="line-clamp-2 [overflow-wrap:anywhere]">{reason}</span>,
    },
    {
      id: 'event',
      header: <span className="sr-only">Event</span>,
      align: 'right',
      width: 'w-20',
      cell: (letter) => (
        <Button size="small" kind="quiet" onClick={() => setOpen(letter)} aria-label={`Look at letter ${letter.id}`}>
          Look
        </Button>
      ),
    },
  ]
  const shown = letters.data ?? []
  return (
    <Card
      title={`Dead letters${count > 0 ? ` · ${exactCount(count)}` : ''}`}
      actions={
        mayChange &&
        count > 0 && (
          <>
            <Button
              size="small"
              icon={RotateCw}
              isBusy={retry.isPending}
              onClick={() =>
                retry.mutate(null, {
                  onSuccess: ({ delivered, remaining, error }) =>
                    say(
                      `${exactCount(delivered)} delivered, ${exactCount(remaining)} remain${error ? `: ${error}` : '.'}`,
                      remaining > 0 ? 'bad' : 'good',
                    ),
                  onError: (error) => say(sentenceOfError(error), 'bad'),
                })
              }
            >
              Send again
            </Button>
            <Button size="small" icon={Trash2} onClick={() => setDiscarding(true)}>
              Discard
            </Button>
          </>
        )
      }
    >
      {letters.isPending && <Loading rows={2} label="Loading dead letters" />}
      {letters.isError && !letters.data && <ErrorState error={letters.error} onRetry={() => letters.refetch()} />}
      {letters.data && shown.length === 0 && (
        <p className="flex items-center gap-2 px-3 py-3 text-soft">
          <MailCheck size={15} className="text-faint" aria-hidden />
          The receiver has refused nothing.
        </p>
      )}
      {shown.length > 0 && <Table label="Dead letters" columns={columns} rows={shown} keyOf={({ id }) => id} />}
      {count > shown.length && shown.length > 0 && (
        <p className="border-t border-line px-3 py-2 text-small text-faint">
          The oldest {exactCount(shown.length)} of {exactCount(count)}.
        </p>
      )}
      <Drawer isOpen={open !== null} onClose={() => setOpen(null)} title="Dead letter" width="wide">
        {open && (
          <div className="flex flex-col gap-4">
            <KeyValueList
              items={[
                { key: 'Reason', value: open.reason, copy: open.reason },
                { key: 'Source', value: nameOf.get(open.source) ?? open.source },
                { key: 'Refused', value: open.at },
              ]}
            />
            <CodeBlock label="the event" code={JSON.stringify(open.event, null, 2)} isWrapped />
          </div>
        )}
      </Drawer>
      {isDiscarding && <Discard token={token} count={count} onClose={() => setDiscarding(false)} />}
    </Card>
  )
}

function Discard({ token, count, onClose }: { token: string; count: number; onClose(): void }) {
  const discard = useDiscardLetters(token)
  const say = useToast()
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Discard dead letters"
      action="Discard all"
      isBusy={discard.isPending}
      error={discard.isError ? sentenceOfError(discard.error) : null}
      onConfirm={() =>
        discard.mutate(null, {
          onSuccess() {
            say('The dead letters are gone.')
            onClose()
          },
        })
      }
    >
      {count === 1 ? '1 event' : `${exactCount(count)} events`} will never be sent to this receiver. They stay in their
      sources as long as those keep them.
    </ConfirmDialog>
  )
}
