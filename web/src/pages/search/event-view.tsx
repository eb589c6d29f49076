/** One event, looked at closely: as a tree, as JSON, and among its neighbours. */
import type { LogEvent } from '../../api/records.ts'
import { LevelBadge } from '../../design/badge.tsx'
import { CodeBlock, CopyButton } from '../../design/code-block.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { EventContext } from './event-context.tsx'
import { levelIn } from './event-fields.ts'
import { EventTree, type ValueActions } from './event-tree.tsx'

type Props = {
  token: string
  event: LogEvent
  zone: string
  actions: ValueActions
  onOpen(event: LogEvent): void
}

/** The page of its own that an event has, for links within the interface and for those that leave it. */
export const pageOf = (token: string, { id, timestamp }: LogEvent): { to: string; search: never } => ({
  to: `/sources/${token}/events/${encodeURIComponent(id)}`,
  search: { timestamp: String(timestamp) } as never,
})
export const permalinkOf = (token: string, { id, timestamp }: LogEvent): string =>
  `/sources/${token}/events/${encodeURIComponent(id)}?timestamp=${timestamp}`

export function EventView({ token, event, zone, actions, onOpen }: Props) {
  const level = levelIn(event)
  const json = JSON.stringify(event, null, 2)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex items-start gap-2 rounded-base border border-line bg-sunken p-2.5">
        {level && <LevelBadge level={level.name} />}
        <p className="max-h-60 min-w-0 grow overflow-y-auto font-mono text-small break-words whitespace-pre-wrap">
          {event.event_message ?? <span className="text-faint">no message</span>}
        </p>
        {event.event_message && <CopyButton text={event.event_message} label="Copy the message" />}
      </div>
      <Tabs
        label="Ways to look at the event"
        tabs={[
          { id: 'tree', label: 'Fields', content: <EventTree value={event} actions={actions} /> },
          { id: 'json', label: 'JSON', content: <CodeBlock code={json} label="event as JSON" isWrapped /> },
          {
            id: 'context',
            label: 'Surrounding events',
            content: <EventContext token={token} event={event} zone={zone} onOpen={onOpen} />,
          },
        ]}
      />
    </div>
  )
}
