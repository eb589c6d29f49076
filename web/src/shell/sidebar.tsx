import { Link, useNavigate } from '@tanstack/react-router'
import { BookOpen, ChevronsUpDown, LogOut, Monitor, Moon, Search, Sun, UserRound } from 'lucide-react'
import type { Session } from '../api/records.ts'
import { classes } from '../design/classes.ts'
import { Menu } from '../design/menu.tsx'
import { useTheme } from '../design/theme.ts'
import { useLogOut } from './log-out.ts'
import { Wordmark } from './logo.tsx'
import { NAVIGATION } from './navigation.ts'

type Props = { session: Session; onSearch(): void; className?: string }

const GROUPS = [...new Set(NAVIGATION.map(({ group }) => group))]

export function Sidebar({ session, onSearch, className }: Props) {
  return (
    <aside
      className={classes(
        'sticky top-0 flex h-dvh w-[216px] shrink-0 flex-col gap-1 border-r border-line bg-sunken p-2',
        className,
      )}
    >
      <div className="flex h-9 items-center px-2">
        <Wordmark />
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mt-1 mb-2 flex h-8 items-center gap-2 rounded-base border border-line bg-surface px-2 text-faint shadow-low hover:text-text"
      >
        <Search size={14} aria-hidden />
        <span className="grow text-left">Jump to …</span>
        <kbd className="font-mono text-tiny">Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className="flex min-h-0 grow flex-col gap-3 overflow-y-auto">
        {GROUPS.map((group) => (
          <div key={group}>
            <p className="px-2 pb-0.5 text-tiny font-medium text-faint">{group}</p>
            {NAVIGATION.filter((item) => item.group === group).map(({ path, label, icon: Icon }) => (
              <Link
                key={path}
                to={path}
                className="flex h-7 items-center gap-2.5 rounded-base px-2 text-soft hover:bg-hover hover:text-text data-[status=active]:bg-selected data-[status=active]:font-medium data-[status=active]:text-text data-[status=active]:[&_svg]:text-accent"
              >
                <Icon size={15} className="text-faint" aria-hidden />
                {label}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <a
        href="/docs/guide/"
        className="flex h-7 items-center gap-2.5 rounded-base px-2 text-soft hover:bg-hover hover:text-text"
      >
        <BookOpen size={15} className="text-faint" aria-hidden />
        Documentation
      </a>
      <AccountMenu session={session} />
    </aside>
  )
}

function AccountMenu({ session: { user, account } }: { session: Session }) {
  const [theme, setTheme] = useTheme()
  const logOut = useLogOut()
  const navigate = useNavigate()
  const name = user.name || user.email
  return (
    <Menu
      align="start"
      side="top"
      trigger={
        <button type="button" className="flex h-11 items-center gap-2 rounded-base px-2 text-left hover:bg-hover">
          <span
            aria-hidden
            className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-tiny font-semibold text-accent"
          >
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className="min-w-0 grow">
            <span className="block truncate leading-4 font-medium">{name}</span>
            <span className="block truncate text-tiny text-faint">{account.name}</span>
          </span>
          <ChevronsUpDown size={14} className="text-faint" aria-hidden />
        </button>
      }
      items={[
        { heading: `${user.email} · ${user.role}` },
        'line',
        {
          label: 'Follow the system',
          icon: Monitor,
          isChecked: theme === 'system',
          onChoose: () => setTheme('system'),
        },
        { label: 'Light', icon: Sun, isChecked: theme === 'light', onChoose: () => setTheme('light') },
        { label: 'Dark', icon: Moon, isChecked: theme === 'dark', onChoose: () => setTheme('dark') },
        'line',
        { label: 'Your account', icon: UserRound, onChoose: () => navigate({ to: '/account' }) },
        { label: 'Log out', icon: LogOut, onChoose: logOut },
      ]}
    />
  )
}
