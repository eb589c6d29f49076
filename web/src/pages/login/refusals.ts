/** Why the log-in through the identity provider came back without a session; the service leaves the reason in the address. */
const SENTENCES = new Map([
  ['oidc_no_owner', 'This service has no owner yet. Create the owner first.'],
  ['oidc_no_email', 'The identity provider gave no confirmed e-mail address.'],
  ['oidc_other_identity', 'Your e-mail address belongs to another identity here. Ask an administrator.'],
  ['oidc_not_invited', 'Nobody has invited you yet. Ask an administrator for an invitation.'],
])

export function refusalOf(error: string | undefined): string | null {
  if (error === undefined) return null
  return SENTENCES.get(error) ?? 'The log-in through the identity provider failed. Try again.'
}
