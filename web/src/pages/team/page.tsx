/** The people of the account: who they are, what they may do, who is invited, where they are logged in. */
import { UserPlus } from 'lucide-react'
import { useSession } from '../../api/client.tsx'
import { useInvitations, useSessions, useUsers } from '../../api/people.ts'
import { useMay } from '../../api/role.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { PageHeader } from '../../design/page-header.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { type Tab, Tabs } from '../../design/tabs.tsx'
import { useQueryTexts } from '../../shell/address.ts'
import { InvitationTable } from './invitation-table.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { SessionTable } from './session-table.tsx'
import { UserTable } from './user-table.tsx'

export function Page() {
  const session = useSession().data
  const mayManage = useMay('admin')
  const users = useUsers()
  const invitations = useInvitations(mayManage)
  const sessions = useSessions(mayManage)
  const [query, changeQuery] = useQueryTexts()
  const setInviting = (isOn: boolean): void => changeQuery({ new: isOn ? 'invitation' : '' }, { replace: true })
  const tabs: Tab[] = [
    {
      id: 'people',
      label: 'People',
      ...(users.data ? { count: users.data.length } : {}),
      content: (
        <Part of={users} label="Loading people">
          {(data) => <UserTable users={data} nowMs={users.dataUpdatedAt} />}
        </Part>
      ),
    },
  ]
  if (mayManage) {
    tabs.push(
      {
        id: 'invitations',
        label: 'Invitations',
        ...(invitations.data ? { count: invitations.data.length } : {}),
        content: (
          <Part of={invitations} label="Loading invitations">
            {(data) => <InvitationTable invitations={data} nowMs={invitations.dataUpdatedAt} />}
          </Part>
        ),
      },
      {
        id: 'sessions',
        label: 'Browsers',
        ...(sessions.data ? { count: sessions.data.length } : {}),
        content: (
          <Part of={sessions} label="Loading browsers">
            {(data) => <SessionTable sessions={data} nowMs={sessions.dataUpdatedAt} showsPerson />}
          </Part>
        ),
      },
    )
  }
  const open = tabs.some(({ id }) => id === query.tab) ? query.tab : 'people'
  return (
    <>
      <PageHeader
        title="Team"
        description={
          mayManage
            ? `Who belongs to the account “${session?.account.name ?? ''}”, and what they may do.`
            : 'Who works here. Inviting people and changing roles needs the role admin.'
        }
        actions={
          mayManage && (
            <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      />
      <div className="px-4 pb-8 wide:px-6">
        <Tabs
          label="Team"
          tabs={tabs}
          open={open ?? 'people'}
          onOpen={(tab) => changeQuery({ tab: tab === 'people' ? '' : tab }, { replace: true })}
        />
      </div>
      {mayManage && query.new === 'invitation' && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}

type Asked<Data> = {
  data: Data | undefined
  isPending: boolean
  isError: boolean
  error: unknown
  refetch(): unknown
}

function Part<Data>({
  of,
  label,
  children,
}: {
  of: Asked<Data>
  label: string
  children(data: Data): React.ReactNode
}) {
  return (
    <Card>
      {of.isPending && <Loading rows={3} label={label} />}
      {of.isError && of.data === undefined && <ErrorState error={of.error} onRetry={() => void of.refetch()} />}
      {of.data !== undefined && children(of.data)}
    </Card>
  )
}
