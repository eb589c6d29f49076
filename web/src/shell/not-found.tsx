import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClasses } from '../design/button.tsx'
import { EmptyState } from '../design/states.tsx'
import { useTitle } from './address.ts'
import { Redirect } from './redirect.tsx'

export function NotFound() {
  useTitle('Not found')
  return (
    <main>
      <EmptyState
        icon={Compass}
        title="There is nothing at this address"
        action={
          <Link to="/sources" className={buttonClasses('secondary')}>
            Go to sources
          </Link>
        }
      >
        The link may be old, or what it led to was deleted.
      </EmptyState>
    </main>
  )
}

export function Home() {
  return <Redirect to="/sources" />
}
