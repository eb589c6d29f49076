/** Inviting somebody by a link that works once, and taking the invitation up. */
import { Fault, InvalidRecord } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Mail } from '../../mail/mail.ts'
import type { Account } from '../../model/account.ts'
import type { Invitation, Role, User } from '../../model/person.ts'
import type { Passwords } from './passwords.ts'

export type Invited = { invitation: Invitation; token: string; link: string; mailed: boolean }

type Parts = {
  catalog: Catalog
  passwords: Passwords
  mail: Mail | null
  publicUrl: string
  onMailLost(error: unknown): void
}

export function createInviting({ catalog, passwords, mail, publicUrl, onMailLost }: Parts) {
  async function send(account: Account, { email, invited_by }: Invitation, link: string): Promise<boolean> {
    if (!mail) return false
    const text = `${invited_by} invites you to the logs of "${account.name}".\n\nChoose a password here within 7 days:\n${link}\n`
    try {
      await mail.send({ to: email, subject: `Invitation to ${account.name} on Millrace`, text })
      return true
    } catch (error) {
      // The link is in the answer too, so whoever invites can still pass it on.
      onMailLost(error)
      return false
    }
  }

  return {
    async invite(account: Account, who: { email: string; role: Role; invitedBy: string }): Promise<Invited> {
      if (await catalog.users.byEmail(who.email)) throw new InvalidRecord({ email: ['has already been taken'] })
      const { invitation, value } = await catalog.invitations.create(account.id, who)
      const link = `${publicUrl}/accept-invitation?token=${value}`
      return { invitation, token: value, link, mailed: await send(account, invitation, link) }
    },

    async accept({ token, name, password }: { token: string; name: string | null; password: string }): Promise<User> {
      if (!(await catalog.invitations.byValue(token))) throw notValid()
      const hash = await passwords.hash(password)
      // Hashing takes a moment; meanwhile it may have been withdrawn, or taken up in another window.
      const invitation = await catalog.invitations.byValue(token)
      if (!invitation || !(await catalog.invitations.remove(invitation.account_id, invitation.id))) throw notValid()
      const { account_id, email, role } = invitation
      return catalog.users.create(account_id, { email, name, role, password: hash })
    },
  }
}

export type Inviting = ReturnType<typeof createInviting>

const notValid = (): Fault => new Fault('not_found', 'This invitation is not valid any more. Ask for a new one.')
