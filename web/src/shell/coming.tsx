import { EmptyState } from '../design/states.tsx'
import { useTitle } from './address.ts'
import type { NavigationItem } from './navigation.ts'

/** Stands behind an entry of the navigation whose page is not there yet. */
export function ComingPage({ item }: { item: NavigationItem }) {
  useTitle(item.label)
  return (
    <EmptyState icon={item.icon} title={`${item.label} is coming to the web interface`}>
      {item.about} Until then use the HTTP interface, which you can read and try at{' '}
      <a href="/docs/guide/" className="text-accent underline underline-offset-2">
        /docs
      </a>
      .
    </EmptyState>
  )
}
