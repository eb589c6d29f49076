/** The event that was opened in the list, beside it. */
import { Link } from '@tanstack/react-router'
import { Crosshair, ExternalLink, Link2 } from 'lucide-react'
import type { LogEvent } from '../../api/records.ts'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Drawer } from '../../design/dialog.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { useToast } from '../../design/toast.tsx'
import type { OpenEvent } from './address.ts'
import type { ValueActions } from './event-tree.tsx'
import { EventView, pageOf, permalinkOf } from './event-view.tsx'
import { useEvent } from './results.ts'
import { fullTime } from './times.ts'

type Props = {
  token: string
  opened: OpenEvent | null
  zone: string
  actions: ValueActions
  onClose(): void
  onOpen(event: LogEvent): void
  /** Searches the time around the event. */
  onAround(event: LogEvent): void
}

export function EventDrawer({ opened, onClose, ...rest }: Props) {
  return (
    <Drawer isOpen={opened !== null} onClose={onClose} title={titleOf(opened, rest.zone)} width="wide">
      {opened && <Content key={opened.id} opened={opened} {...rest} />}
    </Drawer>
  )
}

const titleOf = (opened: OpenEvent | null, zone: string): string =>
  opened && opened.timestamp !== '' ? fullTime(Number(opened.timestamp), zone) : 'Event'

function Content({ token, opened, zone, actions, onOpen, onAround }: Omit<Props, 'onClose'> & { opened: OpenEvent }) {
  const event = useEvent(token, opened.id, opened.timestamp)
  const say = useToast()
  if (event.isPending) return <Loading label="Loading the event" />
  if (event.isError) return <ErrorState error={event.error} onRetry={() => event.refetch()} />
  const permalink = permalinkOf(token, event.data)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button size="small" icon={Crosshair} onClick={() => onAround(event.data)}>
          Search around it
        </Button>
        <Button
          size="small"
          icon={Link2}
          onClick={async () => {
            await navigator.clipboard.writeText(`${location.origin}${permalink}`)
            say('The link to this event was copied.')
          }}
        >
          Copy link
        </Button>
        <Link {...pageOf(token, event.data)} className={buttonClasses('secondary', 'small')}>
          <ExternalLink size={14} aria-hidden />
          Open page
        </Link>
      </div>
      <EventView token={token} event={event.data} zone={zone} actions={actions} onOpen={onOpen} />
    </div>
  )
}
