/** Searches that somebody wants to run again: saved under a name, for everybody who may see the source. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Bookmark, BookmarkPlus, ListX, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useApi, useSession } from '../../api/client.tsx'
import type { SavedSearch } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { useSavedSearches } from '../../api/sources.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Menu, type MenuItem } from '../../design/menu.tsx'
import { useToast } from '../../design/toast.tsx'
import { Switch } from '../../design/toggle.tsx'

type Props = { token: string; lql: string; isLive: boolean; onRun(search: SavedSearch): void }

const MENU_MAX = 15

export function SavedSearches({ token, lql, isLive, onRun }: Props) {
  const saved = useSavedSearches(token)
  const session = useSession()
  const mayChange = session.data?.user.role !== 'viewer'
  const [open, setOpen] = useState<'save' | 'all' | null>(null)
  const list = saved.data ?? []
  const items: MenuItem[] = [
    ...(saved.isError ? [{ heading: sentenceOfError(saved.error) }] : []),
    ...(saved.data?.length === 0 ? [{ heading: 'No search of this source is saved yet.' }] : []),
    ...list.slice(0, MENU_MAX).map((search) => ({ label: search.name, icon: Bookmark, onChoose: () => onRun(search) })),
    'line',
    {
      label: mayChange ? 'Save this search …' : 'Save this search (needs the role member)',
      icon: BookmarkPlus,
      onChoose: () => setOpen('save'),
      isDisabled: !mayChange,
    },
    { label: 'All saved searches …', icon: ListX, onChoose: () => setOpen('all'), isDisabled: list.length === 0 },
  ]
  return (
    <>
      <Menu trigger={<Button icon={Bookmark}>Saved</Button>} items={items} />
      <Dialog isOpen={open === 'save'} onClose={() => setOpen(null)} title="Save this search">
        <SaveForm token={token} lql={lql} isLive={isLive} onDone={() => setOpen(null)} />
      </Dialog>
      <Dialog isOpen={open === 'all'} onClose={() => setOpen(null)} title="Saved searches" width="wide">
        <All
          token={token}
          list={list}
          mayChange={mayChange}
          onRun={(search) => {
            setOpen(null)
            onRun(search)
          }}
        />
      </Dialog>
    </>
  )
}

function SaveForm({ token, lql, isLive, onDone }: Omit<Props, 'onRun'> & { onDone(): void }) {
  const api = useApi()
  const queries = useQueryClient()
  const say = useToast()
  const [name, setName] = useState('')
  const [tailing, setTailing] = useState(isLive)
  const save = useMutation({
    mutationFn: () =>
      api.post<SavedSearch>(`/api/sources/${token}/saved-searches`, {
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        lql,
        tailing,
      }),
    onSuccess: async ({ name: savedName }) => {
      await queries.invalidateQueries({ queryKey: ['saved-searches', token] })
      say(`Saved as ${savedName}.`)
      onDone()
    },
  })
  const fields = save.error instanceof Problem ? save.error.fields : {}
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Field label="Name" isOptional error={fields.name} help="Without one, the search is its name.">
        <TextInput
          value={name}
          onChange={({ target }) => setName(target.value)}
          maxLength={255}
          autoFocus
          autoComplete="off"
        />
      </Field>
      <p className="rounded-base bg-sunken px-3 py-2 font-mono text-small break-words">
        {lql === '' ? 'everything' : lql}
      </p>
      <Switch label="Opens live" help="New events come in as soon as it is run." isOn={tailing} onChange={setTailing} />
      {save.isError && fields.name === undefined && (
        <p role="alert" className="text-danger">
          {sentenceOfError(save.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={save.isPending}>
          Save search
        </Button>
      </div>
    </form>
  )
}

type AllProps = { token: string; list: SavedSearch[]; mayChange: boolean; onRun(search: SavedSearch): void }

function All({ token, list, mayChange, onRun }: AllProps) {
  const api = useApi()
  const queries = useQueryClient()
  const [doomed, setDoomed] = useState<SavedSearch | null>(null)
  const forget = useMutation({
    mutationFn: ({ id }: SavedSearch) => api.remove(`/api/sources/${token}/saved-searches/${id}`),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['saved-searches', token] })
      setDoomed(null)
    },
  })
  return (
    <>
      <ul className="flex flex-col">
        {list.map((search) => (
          <li key={search.id} className="flex items-center gap-2 border-t border-line py-1 first:border-t-0">
            <button
              type="button"
              onClick={() => onRun(search)}
              className="min-w-0 grow rounded-small px-2 py-1 text-left hover:bg-hover"
            >
              <span className="block truncate font-medium">{search.name}</span>
              <span className="block truncate font-mono text-small text-faint">{search.lql || 'everything'}</span>
            </button>
            {mayChange && (
              <IconButton
                icon={Trash2}
                label={`Delete ${search.name}`}
                size="small"
                onClick={() => setDoomed(search)}
              />
            )}
          </li>
        ))}
        {list.length === 0 && <li className="text-soft">No search of this source is saved.</li>}
      </ul>
      <ConfirmDialog
        isOpen={doomed !== null}
        onClose={() => setDoomed(null)}
        title="Delete the saved search?"
        action="Delete search"
        onConfirm={() => doomed && forget.mutate(doomed)}
        isBusy={forget.isPending}
        error={forget.isError ? sentenceOfError(forget.error) : null}
      >
        {doomed?.name} is deleted for everybody who sees this source. The events stay.
      </ConfirmDialog>
    </>
  )
}
