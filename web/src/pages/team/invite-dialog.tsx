/** Inviting somebody: an e-mail and a role become a link that is shown once. */
import { useState } from 'react'
import { useSession } from '../../api/client.tsx'
import { type MadeInvitation, useInvite } from '../../api/people.ts'
import type { Role } from '../../api/records.ts'
import { Problem, sentenceOfError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { CodeBlock } from '../../design/code-block.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Field } from '../../design/field.tsx'
import { TextInput } from '../../design/input.tsx'
import { Select } from '../../design/select.tsx'
import { givableBy, ROLES } from './roles.ts'

export function InviteDialog({ onClose }: { onClose(): void }) {
  const invite = useInvite()
  if (invite.data) return <Made invitation={invite.data} onClose={onClose} />
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Invite somebody"
      description="You get a link that works once within 7 days."
    >
      <InviteForm invite={invite} onCancel={onClose} />
    </Dialog>
  )
}

function InviteForm({ invite, onCancel }: { invite: ReturnType<typeof useInvite>; onCancel(): void }) {
  const mine = useSession().data?.user.role
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const errors = invite.error instanceof Problem ? invite.error.fields : {}
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        invite.mutate({ email, role })
      }}
    >
      <Field label="E-mail" error={errors.email}>
        <TextInput
          type="email"
          name="email"
          required
          autoFocus
          autoComplete="off"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      <Field label="Role" error={errors.role} help={`A ${role} ${ROLES.find((one) => one.role === role)?.about}.`}>
        <Select<Role>
          value={role}
          onChange={setRole}
          options={givableBy(mine).map((one) => ({ value: one, label: one }))}
        />
      </Field>
      {invite.isError && Object.keys(errors).length === 0 && (
        <p role="alert" className="text-danger">
          {sentenceOfError(invite.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={invite.isPending}>
          Make the invitation
        </Button>
      </div>
    </form>
  )
}

function Made({ invitation, onClose }: { invitation: MadeInvitation; onClose(): void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${invitation.email} is invited`}
      description={
        invitation.mailed
          ? 'The link was mailed. You can also hand it over yourself; it is not shown again.'
          : 'Hand this link over yourself; it is not shown again.'
      }
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <CodeBlock label="the link" code={invitation.link} isWrapped />
    </Dialog>
  )
}
