import { MailPlus, X } from 'lucide-react'
import { useWithdraw } from '../../api/people.ts'
import type { InvitationRecord } from '../../api/records.ts'
import { sentenceOfError } from '../../api/request.ts'
import { IconButton } from '../../design/button.tsx'
import { Moment } from '../../design/moment.tsx'
import { EmptyState } from '../../design/states.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { useToast } from '../../design/toast.tsx'

export function InvitationTable({ invitations, nowMs }: { invitations: readonly InvitationRecord[]; nowMs: number }) {
  const withdraw = useWithdraw()
  const say = useToast()
  if (invitations.length === 0) {
    return (
      <EmptyState icon={MailPlus} title="No open invitations">
        An invitation is a link that works once within 7 days. Whoever opens it chooses a name and a password.
      </EmptyState>
    )
  }
  const columns: Column<InvitationRecord>[] = [
    { id: 'email', header: 'E-mail', cell: ({ email }) => <span className="[overflow-wrap:anywhere]">{email}</span> },
    { id: 'role', header: 'Role', width: 'wide:w-32', cell: ({ role }) => role },
    { id: 'by', header: 'Invited by', width: 'wide:w-56', isWideOnly: true, cell: ({ invited_by }) => invited_by },
    {
      id: 'until',
      header: 'Ends',
      width: 'wide:w-32',
      cell: ({ expires_at }) => <Moment at={expires_at} nowMs={nowMs} />,
    },
    {
      id: 'withdraw',
      header: <span className="sr-only">Actions</span>,
      width: 'w-12',
      cell: ({ id, email }) => (
        <IconButton
          icon={X}
          size="small"
          label={`Withdraw the invitation of ${email}`}
          onClick={() =>
            withdraw.mutate(id, {
              onSuccess: () => say('The invitation is withdrawn; its link is dead.'),
              onError: (error) => say(sentenceOfError(error), 'bad'),
            })
          }
        />
      ),
    },
  ]
  return <Table label="Invitations" columns={columns} rows={invitations} keyOf={({ id }) => id} />
}
