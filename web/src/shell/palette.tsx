/** Ctrl/Cmd-K: go to a page, a source or a saved search, or do one of a few things, by typing a piece of its name. */
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Bookmark, BookOpen, LogOut, type LucideIcon, Moon, Plus, Rows3, Star, Sun } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useApi } from '../api/client.tsx'
import type { SavedSearch } from '../api/records.ts'
import { useSources } from '../api/sources.ts'
import { useTheme } from '../design/theme.ts'
import { useLogOut } from './log-out.ts'
import { NAVIGATION } from './navigation.ts'

/** Saved searches are asked for source by source; beyond this many sources only the favourites' are. */
const SEARCHED_SOURCES = 20

export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-large border border-line bg-raised shadow-high outline-none animate-appear"
        >
          <Dialog.Title className="sr-only">Jump to</Dialog.Title>
          <Choices onDone={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Choices({ onDone }: { onDone(): void }) {
  const navigate = useNavigate()
  const api = useApi()
  const [, setTheme] = useTheme()
  const logOut = useLogOut()
  const sources = (useSources().data ?? []).toSorted((a, b) => Number(b.favorite) - Number(a.favorite))
  const searches = useQueries({
    queries: sources.slice(0, SEARCHED_SOURCES).map(({ token }) => ({
      queryKey: ['saved-searches', token],
      queryFn: () => api.get<SavedSearch[]>(`/api/sources/${token}/saved-searches`),
    })),
  })
  const go = (to: string, search?: Record<string, string>) => () => {
    onDone()
    void navigate({ to, ...(search ? { search: search as never } : {}) })
  }
  const run = (action: () => unknown) => () => {
    onDone()
    void action()
  }

  return (
    <Command label="Jump to" loop>
      <Command.Input
        placeholder="Go to a page, source or saved search …"
        className="h-11 w-full border-b border-line bg-transparent px-4 text-large outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-8 text-center text-soft">Nothing has that name.</Command.Empty>
        <Group heading="Pages">
          {NAVIGATION.map(({ path, label, icon }) => (
            <Choice key={path} value={`page ${label}`} icon={icon} label={label} onChoose={go(path)} />
          ))}
        </Group>
        {sources.length > 0 && (
          <Group heading="Sources">
            {sources.map(({ token, name, favorite, service_name }) => (
              <Choice
                key={token}
                value={`source ${name} ${token}`}
                icon={favorite ? Star : Rows3}
                label={name}
                hint={service_name ?? ''}
                onChoose={go(`/sources/${token}`)}
              />
            ))}
          </Group>
        )}
        {searches.some(({ data }) => data?.length) && (
          <Group heading="Saved searches">
            {searches.flatMap(({ data = [] }, index) =>
              data.map(({ id, name, lql }) => (
                <Choice
                  key={id}
                  value={`search ${name} ${lql} ${id}`}
                  icon={Bookmark}
                  label={name}
                  hint={sources[index]?.name ?? ''}
                  onChoose={go(`/sources/${sources[index]?.token}/search`, { lql })}
                />
              )),
            )}
          </Group>
        )}
        <Group heading="Actions">
          <Choice
            value="new source create"
            icon={Plus}
            label="New source"
            onChoose={go('/sources', { new: 'source' })}
          />
          <Choice value="light theme" icon={Sun} label="Light theme" onChoose={run(() => setTheme('light'))} />
          <Choice value="dark theme" icon={Moon} label="Dark theme" onChoose={run(() => setTheme('dark'))} />
          <Choice
            value="api docs http interface"
            icon={BookOpen}
            label="HTTP interface"
            onChoose={run(() => window.open('/docs'))}
          />
          <Choice value="log out" icon={LogOut} label="Log out" onChoose={run(logOut)} />
        </Group>
      </Command.List>
    </Command>
  )
}

function Group({ heading, children }: { heading: string; children: React.ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-tiny [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint"
    >
      {children}
    </Command.Group>
  )
}

type ChoiceProps = { value: string; icon: LucideIcon; label: string; hint?: string; onChoose(): void }

function Choice({ value, icon: Icon, label, hint, onChoose }: ChoiceProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onChoose}
      className="flex h-8 cursor-pointer items-center gap-2.5 rounded-base px-2.5 data-[selected=true]:bg-hover"
    >
      <Icon size={15} className="shrink-0 text-faint" aria-hidden />
      <span className="truncate">{label}</span>
      {hint && <span className="ml-auto truncate pl-4 text-small text-faint">{hint}</span>}
    </Command.Item>
  )
}
