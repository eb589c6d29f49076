/** The entries that enrichment looks up: found by key, changed one by one or by file. */
import { Download, Plus, SearchX, Tags, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../../api/client.tsx'
import { type Entry, readAll, useDeleteEntries, useKeyValues } from '../../api/key-values.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { TextInput } from '../../design/input.tsx'
import { Menu } from '../../design/menu.tsx'
import { exactCount } from '../../design/numbers.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { useToast } from '../../design/toast.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { useDeferred } from '../../shell/deferred.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { EntryTable } from './entry-table.tsx'
import { type ExportKind, saveEntries } from './export.ts'
import { ImportDialog } from './import-dialog.tsx'

type Open = { kind: 'entry'; entry: Entry | null } | { kind: 'import' } | { kind: 'delete'; keys: string[] }

const TYPING_MS = 250

export function Page() {
  const [{ search = '' }, changeQuery] = useQueryTexts()
  const wanted = useDeferred(search.trim(), TYPING_MS)
  const list = useKeyValues(wanted)
  const mayChange = useMay('member')
  const [open, setOpen] = useState<Open | null>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const entries = list.data?.pages.flat() ?? []
  const isEmpty = list.isSuccess && entries.length === 0
  const close = (): void => setOpen(null)
  const keys = [...chosen].filter((key) => entries.some((entry) => entry.key === key))
  const buttons = (
    <>
      {mayChange && (
        <Button icon={Upload} onClick={() => setOpen({ kind: 'import' })}>
          Import
        </Button>
      )}
      {!isEmpty && <Export search={wanted} />}
      {mayChange && (
        <Button kind="primary" icon={Plus} onClick={() => setOpen({ kind: 'entry', entry: null })}>
          New entry
        </Button>
      )}
    </>
  )
  return (
    <>
      <PageHeader
        title="Key-values"
        description="Values that enrichment rules of sources add to events, found by their key."
        actions={!(isEmpty && wanted === '') && buttons}
      />
      <div className="flex flex-col gap-3 px-4 pb-8 wide:px-6">
        {!(isEmpty && wanted === '') && (
          <div className="flex min-h-8 flex-wrap items-center gap-3">
            <div className="w-72 max-w-full">
              <TextInput
                type="search"
                aria-label="Search keys"
                placeholder="Search keys …"
                value={search}
                onChange={({ target }) => changeQuery({ search: target.value }, { replace: true })}
              />
            </div>
            {keys.length > 0 && (
              <>
                <span className="text-soft">{exactCount(keys.length)} chosen</span>
                <Button size="small" icon={Trash2} onClick={() => setOpen({ kind: 'delete', keys })}>
                  Delete
                </Button>
                <Button size="small" kind="quiet" onClick={() => setChosen(new Set())}>
                  Choose none
                </Button>
              </>
            )}
          </div>
        )}
        {list.isPending && (
          <Card>
            <Loading label="Loading key-values" />
          </Card>
        )}
        {list.isError && entries.length === 0 && <ErrorState error={list.error} onRetry={() => list.refetch()} />}
        {isEmpty &&
          (wanted === '' ? (
            <EmptyState icon={Tags} title="No key-values yet" action={mayChange && buttons}>
              Keep what your events only name: the customer behind an id, the team behind a service. A rule of a source
              then writes it into every event.
            </EmptyState>
          ) : (
            <EmptyState
              icon={SearchX}
              title={`No key holds “${wanted}”`}
              action={<Button onClick={() => changeQuery({ search: '' }, { replace: true })}>Clear the search</Button>}
            />
          ))}
        {entries.length > 0 && (
          <Card>
            <EntryTable
              entries={entries}
              chosen={chosen}
              onChoose={setChosen}
              onOpen={(entry) => setOpen({ kind: 'entry', entry })}
              onDelete={(entry) => setOpen({ kind: 'delete', keys: [entry.key] })}
              mayChange={mayChange}
            />
            <p className="flex flex-wrap items-center gap-3 border-t border-line px-3 py-2 text-small text-faint">
              {exactCount(entries.length)} {list.hasNextPage ? 'shown' : entries.length === 1 ? 'entry' : 'entries'}
              {list.hasNextPage && (
                <Button size="small" isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
                  Show more
                </Button>
              )}
              {list.isFetchNextPageError && (
                <span role="alert" className="text-danger">
                  {sentenceOfError(list.error)}
                </span>
              )}
            </p>
          </Card>
        )}
      </div>
      {open?.kind === 'entry' && <EntryDialog entry={open.entry} isReadOnly={!mayChange} onClose={close} />}
      {open?.kind === 'import' && <ImportDialog onClose={close} />}
      {open?.kind === 'delete' && (
        <DeleteEntries
          keys={open.keys}
          onClose={close}
          onDeleted={() => {
            setChosen(new Set())
            close()
          }}
        />
      )}
    </>
  )
}

function Export({ search }: { search: string }) {
  const api = useApi()
  const say = useToast()
  const [isBusy, setBusy] = useState(false)
  const save = async (kind: ExportKind): Promise<void> => {
    setBusy(true)
    try {
      saveEntries(await readAll(api, search), kind)
    } catch (error) {
      say(sentenceOfError(error), 'bad')
    }
    setBusy(false)
  }
  return (
    <Menu
      trigger={
        <Button icon={Download} isBusy={isBusy}>
          Export
        </Button>
      }
      items={[
        { heading: search === '' ? 'All entries' : `Entries with “${search}”` },
        { label: 'JSON', onChoose: () => void save('json') },
        { label: 'NDJSON', onChoose: () => void save('ndjson') },
      ]}
    />
  )
}

function DeleteEntries({ keys, onClose, onDeleted }: { keys: string[]; onClose(): void; onDeleted(): void }) {
  const remove = useDeleteEntries()
  const say = useToast()
  const what = keys.length === 1 ? `the entry ${keys[0]}` : `${exactCount(keys.length)} entries`
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${what}?`}
      action={keys.length === 1 ? 'Delete entry' : 'Delete entries'}
      isBusy={remove.isPending}
      error={remove.isError ? sentenceOfError(remove.error) : null}
      onConfirm={() =>
        remove.mutate(keys, {
          onSuccess() {
            say(keys.length === 1 ? 'The entry is deleted.' : `${exactCount(keys.length)} entries are deleted.`)
            onDeleted()
          },
        })
      }
    >
      Rules that look them up find nothing from now on. Events that were enriched stay as they are.
    </ConfirmDialog>
  )
}
