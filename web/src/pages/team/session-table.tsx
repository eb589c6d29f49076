/** Browsers that are logged in, and a way to log one out. */
import { LogOut } from 'lucide-react'
import { type OpenSession, useEndSession } from '../../api/people.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Badge } from '../../design/badge.tsx'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { Moment } from '../../design/moment.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'
import { browserName } from './browser-name.ts'

type Props = { sessions: readonly OpenSession[]; nowMs: number; showsPerson?: boolean }

export function SessionTable({ sessions, nowMs, showsPerson = false }: Props) {
  const end = useEndSession()
  const say = useToast()
  const columns: Column<OpenSession>[] = [
    {
      id: 'browser',
      header: showsPerson ? 'Person and browser' : 'Browser',
      cell: ({ email, user_agent, current }) => (
        <span className="flex flex-col py-1.5" title={user_agent ?? ''}>
          {showsPerson && <span className="font-medium [overflow-wrap:anywhere]">{email}</span>}
          <span className={classes('flex flex-wrap items-center gap-x-2', showsPerson && 'text-small text-soft')}>
            {browserName(user_agent)}
            {current && <Badge tone="accent">this one</Badge>}
          </span>
        </span>
      ),
    },
    {
      id: 'address',
      header: 'From',
      width: 'wide:w-44',
      isWideOnly: true,
      cell: ({ address }) => <span className="font-mono text-small">{address}</span>,
    },
    {
      id: 'since',
      header: 'Logged in',
      width: 'wide:w-32',
      isWideOnly: true,
      cell: ({ inserted_at }) => <Moment at={inserted_at} nowMs={nowMs} />,
    },
    {
      id: 'seen',
      header: 'Last used',
      width: 'wide:w-32',
      cell: ({ last_seen_at }) => <Moment at={last_seen_at} nowMs={nowMs} />,
    },
    {
      id: 'end',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      width: 'w-12',
      cell: ({ id, current, email, user_agent }) =>
        !current && (
          <IconButton
            size="small"
            icon={LogOut}
            label={`Log out ${browserName(user_agent)} of ${email}`}
            disabled={end.isPending && end.variables === id}
            onClick={() =>
              end.mutate(id, {
                onSuccess: () => say('That browser is logged out.'),
                onError: (error) => say(sentenceOfError(error), 'bad'),
              })
            }
          />
        ),
    },
  ]
  return <Table label="Browsers" columns={columns} rows={sessions} keyOf={({ id }) => id} />
}
