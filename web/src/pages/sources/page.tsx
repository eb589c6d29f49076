/** All sources at a glance: how much comes in, how much is kept, what was refused. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Rows3, SearchX } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/role.ts'
import { useSources } from '../../api/sources.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { TextInput } from '../../design/input.tsx'
import { bytes, count, perSecond } from '../../design/numbers.ts'
import { PageHeader } from '../../design/page-header.tsx'
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { groupSources } from './groups.ts'
import { useRateHistory } from './rate-history.ts'
import { SourceForm } from './source-form.tsx'
import { SourceTable } from './source-table.tsx'

export function Page() {
  const sources = useSources()
  const history = useRateHistory(sources.data, sources.dataUpdatedAt)
  const [query, changeQuery] = useQueryTexts()
  const [filter, setFilter] = useState('')
  const navigate = useNavigate()
  const setCreating = (isOn: boolean): void => changeQuery({ new: isOn ? 'source' : '' }, { replace: true })

  const mayChange = useMay('member')
  const all = sources.data ?? []
  const groups = groupSources(all, filter)
  const sum = (of: 'rate' | 'total' | 'bytes'): number => all.reduce((total, { metrics }) => total + metrics[of], 0)
  return (
    <>
      <PageHeader
        title="Sources"
        description={
          all.length > 0
            ? `${count(all.length)} ${all.length === 1 ? 'source' : 'sources'} · ${perSecond(sum('rate'))} · ${count(sum('total'))} events · ${bytes(sum('bytes'))} on disk`
            : 'Named collections of events, each with its own settings.'
        }
        actions={
          all.length > 0 && (
            <>
              <div className="w-44">
                <TextInput
                  type="search"
                  aria-label="Filter sources"
                  placeholder="Filter …"
                  value={filter}
                  onChange={({ target }) => setFilter(target.value)}
                />
              </div>
              {mayChange && (
                <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
                  New source
                </Button>
              )}
            </>
          )
        }
      />
      <div className="flex flex-col gap-4 px-4 pb-8 wide:px-6">
        {sources.isPending && (
          <Card>
            <Loading label="Loading sources" />
          </Card>
        )}
        {sources.isError && !sources.data && (
          <ErrorState error={sources.error} onRetry={() => sources.refetch()} isRetrying={sources.isFetching} />
        )}
        {sources.data?.length === 0 && (
          <EmptyState
            icon={Rows3}
            title="No sources yet"
            action={
              <>
                {mayChange && (
                  <Link to="/welcome" className={buttonClasses('primary')}>
                    Create one and send an event
                  </Link>
                )}
                <a href="/docs" className={buttonClasses('secondary')}>
                  HTTP interface
                </a>
              </>
            }
          >
            A source is a named collection of events: one service, one app, one machine.
            {mayChange ? ' Create one and send to it.' : ' Ask a member of your team to create one.'}
          </EmptyState>
        )}
        {all.length > 0 && groups.length === 0 && (
          <EmptyState
            icon={SearchX}
            title={`No source matches “${filter}”`}
            action={<Button onClick={() => setFilter('')}>Clear the filter</Button>}
          />
        )}
        {groups.length > 0 && (
          <Card>
            <SourceTable groups={groups} history={history} />
          </Card>
        )}
      </div>
      <Dialog
        isOpen={mayChange && query.new === 'source'}
        onClose={() => setCreating(false)}
        title="New source"
        description="A named collection of events with its own settings."
      >
        <SourceForm
          action="Create source"
          onCancel={() => setCreating(false)}
          onCreated={({ token }) => navigate({ to: `/sources/${token}/send` })}
        />
      </Dialog>
    </>
  )
}
