import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { keepSession, useApi } from '../../api/client.tsx'
import { useSessions } from '../../api/people.ts'
import { sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card } from '../../design/card.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import { ErrorState, Loading } from '../../design/states.tsx'
import { SessionTable } from '../team/session-table.tsx'

export function BrowsersCard({ userId }: { userId: number }) {
  const sessions = useSessions()
  const [isLeaving, setLeaving] = useState(false)
  // Admins are told of everybody's.
  const own = sessions.data?.filter(({ user_id }) => user_id === userId)
  return (
    <Card
      title="Where you are logged in"
      actions={
        <Button size="small" icon={LogOut} onClick={() => setLeaving(true)}>
          Log out everywhere
        </Button>
      }
    >
      {sessions.isPending && <Loading rows={2} label="Loading browsers" />}
      {sessions.isError && !own && <ErrorState error={sessions.error} onRetry={() => sessions.refetch()} />}
      {own && <SessionTable sessions={own} nowMs={sessions.dataUpdatedAt} />}
      {isLeaving && <LeaveEverywhere onClose={() => setLeaving(false)} />}
    </Card>
  )
}

function LeaveEverywhere({ onClose }: { onClose(): void }) {
  const api = useApi()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const leave = useMutation({
    mutationFn: () => api.remove('/api/sessions'),
    async onSuccess() {
      await navigate({ to: '/login' })
      keepSession(queries, null)
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Log out everywhere"
      action="Log out everywhere"
      isBusy={leave.isPending}
      error={leave.isError ? sentenceOfError(leave.error) : null}
      onConfirm={() => leave.mutate()}
    >
      All your browsers are logged out at once, this one too.
    </ConfirmDialog>
  )
}
