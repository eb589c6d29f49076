/** Which source to search. With one source only there is nothing to choose. */
import { Link } from '@tanstack/react-router'
import { Rows3, Search, Star } from 'lucide-react'
import { useState } from 'react'
import { useSources } from '../../api/sources.ts'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { TextInput } from '../../design/input.tsx'
import { count, perSecond } from '../../design/numbers.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { Redirect } from '../../shell/redirect.tsx'

export function Page() {
  const sources = useSources()
  const [wanted, setWanted] = useState('')
  if (sources.isPending) return <Loading label="Loading sources" />
  if (sources.isError && !sources.data) return <ErrorState error={sources.error} onRetry={() => sources.refetch()} />
  const all = sources.data.toSorted((a, b) => Number(b.favorite) - Number(a.favorite) || a.name.localeCompare(b.name))
  if (all.length === 1) return <Redirect to={`/sources/${all[0]!.token}/search`} />
  if (all.length === 0) {
    return (
      <EmptyState
        icon={Rows3}
        title="No sources yet"
        action={
          <Link to="/welcome" className={buttonClasses('primary')}>
            Create one and send an event
          </Link>
        }
      >
        There is nothing to search before a source has events.
      </EmptyState>
    )
  }
  const shown = all.filter(({ name, service_name }) =>
    `${name} ${service_name ?? ''}`.toLowerCase().includes(wanted.toLowerCase()),
  )
  return (
    <>
      <PageHeader
        title="Search"
        description="Choose the source to search in."
        actions={
          <div className="w-56">
            <TextInput
              type="search"
              aria-label="Filter sources"
              placeholder="Filter …"
              autoFocus
              value={wanted}
              onChange={({ target }) => setWanted(target.value)}
            />
          </div>
        }
      />
      <div className="px-4 pb-8 wide:px-6">
        <Card>
          <ul>
            {shown.map(({ token, name, service_name, favorite, metrics }) => (
              <li key={token} className="border-t border-line first:border-t-0">
                <Link
                  to={`/sources/${token}/search`}
                  className="flex h-10 items-center gap-3 px-3 hover:bg-hover focus-visible:-outline-offset-2"
                >
                  {favorite ? (
                    <Star size={15} className="shrink-0 fill-current text-accent" aria-label="Favourite" />
                  ) : (
                    <Search size={15} className="shrink-0 text-faint" aria-hidden />
                  )}
                  <span className="min-w-0 truncate font-medium">{name}</span>
                  {service_name && <span className="truncate text-small text-faint">{service_name}</span>}
                  <span className="ml-auto shrink-0 text-small text-faint tabular-nums">
                    {count(metrics.total)} events · {perSecond(metrics.rate)}
                  </span>
                </Link>
              </li>
            ))}
            {shown.length === 0 && <li className="px-3 py-6 text-center text-soft">No source has that name.</li>}
          </ul>
        </Card>
      </div>
    </>
  )
}
