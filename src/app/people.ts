/** Everything about people, from the settings: log-in, identity provider, invitations, forgotten passwords, mail. */
import type { Logger } from 'pino'
import type { Access } from '../access/access.ts'
import { createInviting } from '../access/people/invitations.ts'
import { createOidc } from '../access/people/oidc.ts'
import { createPeople } from '../access/people/people.ts'
import { createResets } from '../access/people/resets.ts'
import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { once } from '../catalog/claims.ts'
import type { PeopleParts } from '../http/routes/people/index.ts'
import { createMail } from '../mail/mail.ts'
import type { Settings } from '../settings.ts'

type Parts = { settings: Settings; catalog: Catalog; access: Access; clock: Clock; log: Logger }

const PRUNE_EVERY_MS = 3_600_000

export function createPeopleParts({ settings, catalog, access, clock, log }: Parts): PeopleParts & { stop(): void } {
  const { publicUrl, smtpUrl, mailFrom } = settings
  const mail = smtpUrl && mailFrom ? createMail({ url: smtpUrl, from: mailFrom }) : null
  const people = createPeople({ catalog, access, clock })
  const { passwords } = people
  const onMailLost = (error: unknown): void => log.warn({ err: error }, 'a mail was not sent')
  const onOidcError = (error: unknown): void => log.warn({ err: error }, 'a log-in by the identity provider failed')

  const prune = (): void => {
    once(catalog.claims, 'the audit log', () => catalog.auditLog.prune(clock.nowMs() - settings.auditMs)).catch(
      (error: unknown) => log.warn({ err: error }, 'old entries of the audit log were not removed'),
    )
  }
  prune()
  const pruner = setInterval(prune, PRUNE_EVERY_MS)
  pruner.unref()

  return {
    catalog,
    people,
    inviting: createInviting({ catalog, passwords, mail, publicUrl, onMailLost }),
    resets: createResets({ catalog, passwords, mail, publicUrl }),
    oidc: settings.oidc && createOidc({ catalog, settings: settings.oidc, publicUrl, onError: onOidcError }),
    oidcLabel: settings.oidc?.label ?? null,
    hasMail: mail !== null,
    onMailLost,
    stop: () => clearInterval(pruner),
  }
}
