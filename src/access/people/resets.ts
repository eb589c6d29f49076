/** New passwords for those who forgot theirs: by a link in a mail, or set by the operator. All sessions of the person end. */
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Mail } from '../../mail/mail.ts'
import { createPasswords, type Passwords } from './passwords.ts'

type Parts = { catalog: Catalog; passwords: Passwords; mail: Mail | null; publicUrl: string }

export function createResets({ catalog, passwords, mail, publicUrl }: Parts) {
  return {
    /** Does nothing for an unknown e-mail, and for people of an identity provider. */
    async send(email: string): Promise<void> {
      const user = await catalog.users.byEmail(email)
      if (!mail || !user?.hasPassword) return
      const value = await catalog.passwordResets.create(user.id)
      const text =
        `Somebody asked for a new password for ${email}. If it was you, choose one here within an hour:\n` +
        `${publicUrl}/reset-password?token=${value}\n\nOtherwise there is nothing to do.\n`
      await mail.send({ to: email, subject: 'A new password for Millrace', text })
    },

    async confirm({ token, password }: { token: string; password: string }): Promise<void> {
      const userId = await catalog.passwordResets.take(token)
      if (userId === null) throw new Fault('not_found', 'This link is not valid any more. Ask for a new one.')
      await setPassword({ catalog, passwords }, userId, password)
    },
  }
}

export type Resets = ReturnType<typeof createResets>

export async function setPassword(
  { catalog, passwords }: Pick<Parts, 'catalog' | 'passwords'>,
  userId: number,
  password: string,
): Promise<void> {
  await catalog.users.setPassword(userId, await passwords.hash(password))
  await catalog.sessions.removeAllOf(userId)
  await catalog.passwordResets.removeAllOf(userId)
}

/** For the command line. False when nobody has this e-mail. */
export async function resetPassword(catalog: Catalog, email: string, password: string): Promise<boolean> {
  const user = await catalog.users.byEmail(email.trim().toLowerCase())
  if (!user) return false
  await setPassword({ catalog, passwords: createPasswords() }, user.id, password)
  return true
}
