/** One event under an address of its own, for sending to somebody else. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useSource } from '../../api/sources.ts'
import { buttonClasses } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { CopyButton } from '../../design/code-block.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useParam, useQueryTexts, useTitle } from '../../shell/address.ts'
import { EventView, pageOf } from './event-view.tsx'
import { rangeText, withFilter } from './lql-text.ts'
import { useEvent, useSchema } from './results.ts'
import { browserZone, fullTime, isZone } from './times.ts'

const AROUND_US = 1_800_000_000

export function Page() {
  const token = useParam('token')
  const id = useParam('id')
  const [{ timestamp = '', tz = '' }] = useQueryTexts()
  const zone = isZone(tz) ? tz : browserZone()
  const navigate = useNavigate()
  const source = useSource(token)
  const event = useEvent(token, id, timestamp)
  const schema = useSchema(token)
  useTitle(`Event · ${source.data?.name ?? ''}`)
  if (event.isPending) return <Loading label="Loading the event" />
  if (event.isError) {
    return <ErrorState error={event.error} title="The event cannot be shown" onRetry={() => event.refetch()} />
  }
  const us = Number(event.data.timestamp)
  const around = `t:${rangeText(us - AROUND_US, us + AROUND_US)}`
  return (
    <>
      <PageHeader
        title={fullTime(event.data.timestamp, zone)}
        description={
          <span className="flex items-center gap-1">
            <span className="min-w-0 truncate">
              {source.data?.name} · <span className="font-mono text-small">{id}</span>
            </span>
            <CopyButton text={id} label="Copy the id" />
          </span>
        }
        actions={
          <Link
            to={`/sources/${token}/search`}
            search={{ lql: around } as never}
            className={buttonClasses('secondary')}
          >
            <Search size={14} aria-hidden />
            Search around it
          </Link>
        }
      />
      <div className="max-w-5xl px-4 pb-8 wide:px-6">
        <Card className="p-3">
          <EventView
            key={id}
            token={token}
            event={event.data}
            zone={zone}
            onOpen={(neighbour) => navigate(pageOf(token, neighbour))}
            actions={{
              onFilter: (path, value, wanted) =>
                navigate({
                  to: `/sources/${token}/search`,
                  search: { lql: withFilter(around, path, value, wanted) } as never,
                }),
              isKnown: (path) => schema.data?.[path] !== undefined,
            }}
          />
        </Card>
      </div>
    </>
  )
}
