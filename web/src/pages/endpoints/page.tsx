/** All endpoints: how they are called, how fast they answer, and which of them anybody may call. */
import { Link } from '@tanstack/react-router'
import { Braces, Plus, SearchX } from 'lucide-react'
import { useState } from 'react'
import { useEndpoints, useEndpointUse } from '../../api/endpoints.ts'
import { useMay } from '../../api/role.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { TextInput } from '../../design/input.tsx'
import { count } from '../../design/numbers.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { EndpointTable } from './endpoint-table.tsx'

export function Page() {
  const endpoints = useEndpoints()
  const use = useEndpointUse()
  const mayPublish = useMay('member')
  const [filter, setFilter] = useState('')
  const all = endpoints.data ?? []
  const wanted = filter.trim().toLowerCase()
  const shown = all.filter(({ name, description, token }) =>
    [name, description ?? '', token].some((text) => text.toLowerCase().includes(wanted)),
  )
  const calls = [...(use.data?.values() ?? [])].reduce((sum, { calls }) => sum + calls, 0)
  return (
    <>
      <PageHeader
        title="Endpoints"
        description={
          all.length > 0
            ? `${count(all.length)} ${all.length === 1 ? 'endpoint' : 'endpoints'}${use.data ? ` · ${count(calls)} calls in 7 days` : ''}`
            : 'Queries with an address of their own.'
        }
        actions={
          all.length > 0 && (
            <>
              <div className="w-44">
                <TextInput
                  type="search"
                  aria-label="Filter endpoints"
                  placeholder="Filter …"
                  value={filter}
                  onChange={({ target }) => setFilter(target.value)}
                />
              </div>
              {mayPublish && <NewEndpoint />}
            </>
          )
        }
      />
      <div className="flex flex-col gap-4 px-4 pb-8 wide:px-6">
        {endpoints.isPending && (
          <Card>
            <Loading label="Loading endpoints" />
          </Card>
        )}
        {endpoints.isError && !endpoints.data && (
          <ErrorState error={endpoints.error} onRetry={() => endpoints.refetch()} isRetrying={endpoints.isFetching} />
        )}
        {endpoints.data?.length === 0 && (
          <EmptyState icon={Braces} title="No endpoints yet" action={mayPublish && <NewEndpoint />}>
            An endpoint publishes a query under an address, with parameters, a cache and its own access. Dashboards and
            programs ask it instead of writing SQL.
          </EmptyState>
        )}
        {all.length > 0 && shown.length === 0 && (
          <EmptyState
            icon={SearchX}
            title={`No endpoint matches “${filter}”`}
            action={<Button onClick={() => setFilter('')}>Clear the filter</Button>}
          />
        )}
        {shown.length > 0 && (
          <Card>
            <EndpointTable endpoints={shown} use={use.data} />
          </Card>
        )}
      </div>
    </>
  )
}

const NewEndpoint = () => (
  <Link to="/endpoints/new" className={buttonClasses('primary')}>
    <Plus size={14} aria-hidden />
    New endpoint
  </Link>
)
