import { UserX } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../api/client.tsx'
import { useChangeRole, useRemoveUser } from '../../api/people.ts'
import type { UserRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { useMay } from '../../api/role.ts'
import { Badge } from '../../design/badge.tsx'
import { IconButton } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { Moment } from '../../design/moment.tsx'
import { Select } from '../../design/select.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'
import { givableBy } from './roles.ts'

export function UserTable({ users, nowMs }: { users: readonly UserRecord[]; nowMs: number }) {
  const me = useSession().data?.user
  const mayManage = useMay('admin')
  const changeRole = useChangeRole()
  const say = useToast()
  const [leaving, setLeaving] = useState<UserRecord | null>(null)
  const mayTouch = ({ role }: UserRecord): boolean => mayManage && (me?.role === 'owner' || role !== 'owner')
  const columns: Column<UserRecord>[] = [
    {
      id: 'person',
      header: 'Person',
      cell: ({ id, name, email }) => (
        <span className="flex flex-col py-1.5">
          <span className="flex items-center gap-2 font-medium [overflow-wrap:anywhere]">
            {name || email}
            {id === me?.id && <Badge tone="accent">you</Badge>}
          </span>
          {name && <span className="text-small text-faint [overflow-wrap:anywhere]">{email}</span>}
        </span>
      ),
    },
    {
      id: 'role',
      header: 'Role',
      width: 'w-32 wide:w-40',
      cell: (user) =>
        mayTouch(user) ? (
          <Select
            label={`Role of ${user.email}`}
            value={user.role}
            isDisabled={changeRole.isPending}
            options={givableBy(me?.role).map((role) => ({ value: role, label: role }))}
            onChange={(role) =>
              changeRole.mutate(
                { id: user.id, role },
                {
                  onSuccess: () => say(`${user.name || user.email} is ${role} now.`),
                  onError: (error) => say(sentenceOfError(error), 'bad'),
                },
              )
            }
          />
        ) : (
          user.role
        ),
    },
    {
      id: 'seen',
      header: 'Last log-in',
      width: 'wide:w-36',
      isWideOnly: true,
      cell: ({ last_login_at }) =>
        last_login_at ? <Moment at={last_login_at} nowMs={nowMs} /> : <span className="text-faint">never</span>,
    },
    {
      id: 'since',
      header: 'Joined',
      width: 'wide:w-36',
      isWideOnly: true,
      cell: ({ inserted_at }) => <Moment at={inserted_at} nowMs={nowMs} />,
    },
    {
      id: 'remove',
      header: <span className="sr-only">Actions</span>,
      width: 'w-12',
      cell: (user) =>
        mayTouch(user) && (
          <IconButton icon={UserX} size="small" label={`Remove ${user.email}`} onClick={() => setLeaving(user)} />
        ),
    },
  ]
  return (
    <>
      <Table label="People" columns={columns} rows={users} keyOf={({ id }) => id} />
      {leaving && <RemoveUser user={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function RemoveUser({ user, onClose }: { user: UserRecord; onClose(): void }) {
  const remove = useRemoveUser()
  const say = useToast()
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove ${user.name || user.email}`}
      action="Remove"
      isBusy={remove.isPending}
      error={remove.isError ? sentenceOfError(remove.error) : null}
      onConfirm={() =>
        remove.mutate(user.id, {
          onSuccess() {
            say(`${user.name || user.email} is removed.`)
            onClose()
          },
        })
      }
    >
      {user.email} is logged out everywhere at once and cannot log in again. What they made stays.
    </ConfirmDialog>
  )
}
