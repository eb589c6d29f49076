/**
 * The frame of every page for people who are logged in: navigation, account, command palette, and the page itself.
 * Whoever is not logged in is led to the login page, or to the first run, and back here afterwards.
 */
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSession, useSetup } from '../api/client.tsx'
import type { Session } from '../api/records.ts'
import { IconButton } from '../design/button.tsx'
import { classes } from '../design/classes.ts'
import { ErrorState } from '../design/states.tsx'
import { Wordmark } from './logo.tsx'
import { OfflineNotice } from './offline.tsx'
import { Palette } from './palette.tsx'
import { Redirect } from './redirect.tsx'
import { Sidebar } from './sidebar.tsx'
import { Waiting } from './waiting.tsx'

export function Frame() {
  const session = useSession()
  if (session.data) return <LoggedIn session={session.data} />
  if (session.isError) return <ErrorState error={session.error} onRetry={() => session.refetch()} />
  if (session.isPending) return <Waiting />
  return <LedAway />
}

function LedAway() {
  const setup = useSetup()
  const router = useRouter()
  // Read once: the address changes while this still stands.
  const [next] = useState(() => router.state.location.href)
  if (setup.isPending) return <Waiting />
  if (setup.data?.needs_owner) return <Redirect to="/welcome" />
  return <Redirect to={`/login?${new URLSearchParams({ next })}`} />
}

function LoggedIn({ session }: { session: Session }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isNavigationOpen, setNavigationOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer
  useEffect(() => setNavigationOpen(false), [path])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        setPaletteOpen((isOpen) => !isOpen)
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  return (
    <div className="flex min-h-dvh flex-col wide:flex-row">
      <a
        href="#page"
        className="sr-only z-50 rounded-base bg-accent px-3 py-1 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <div className="sticky top-0 z-20 flex h-11 items-center gap-2 border-b border-line bg-surface px-2 wide:hidden">
        <IconButton
          icon={MenuIcon}
          label="Navigation"
          aria-expanded={isNavigationOpen}
          onClick={() => setNavigationOpen((isOpen) => !isOpen)}
        />
        <Wordmark />
      </div>
      {isNavigationOpen && (
        <button
          type="button"
          aria-label="Close navigation"
          className="fixed inset-0 z-20 bg-veil wide:hidden"
          onClick={() => setNavigationOpen(false)}
        />
      )}
      <Sidebar
        session={session}
        onSearch={() => setPaletteOpen(true)}
        className={classes('max-wide:fixed max-wide:z-30 max-wide:shadow-high', !isNavigationOpen && 'max-wide:hidden')}
      />
      <main id="page" tabIndex={-1} className="flex min-w-0 grow flex-col outline-none">
        <OfflineNotice />
        <Outlet />
      </main>
      <Palette isOpen={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  )
}
