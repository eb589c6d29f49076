/** People: the first owner, log-in and sessions, who belongs to an account, and what they changed. */
import type { Inviting } from '../../../access/people/invitations.ts'
import type { Oidc } from '../../../access/people/oidc.ts'
import type { People } from '../../../access/people/people.ts'
import type { Resets } from '../../../access/people/resets.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Routes } from '../../route.ts'
import { addAuditRoutes } from './audit.ts'
import { addInvitationRoutes } from './invitations.ts'
import { addOidcRoutes } from './oidc.ts'
import { addPasswordResetRoutes } from './password-reset.ts'
import { addSessionRoutes } from './session.ts'
import { addSessionsRoutes } from './sessions.ts'
import { addSetupRoutes } from './setup.ts'
import { addTeamRoutes } from './teams.ts'
import { addUserRoutes } from './users.ts'

export type PeopleParts = {
  catalog: Catalog
  people: People
  inviting: Inviting
  resets: Resets
  oidc: Oidc | null
  /** Of the identity provider; null when there is none. */
  oidcLabel: string | null
  hasMail: boolean
  onMailLost(error: unknown): void
}

export function addPeopleRoutes(routes: Routes, parts: PeopleParts): void {
  addSetupRoutes(routes, parts)
  addSessionRoutes(routes, parts)
  addOidcRoutes(routes, parts)
  addSessionsRoutes(routes, parts)
  addUserRoutes(routes, parts)
  addInvitationRoutes(routes, parts)
  addPasswordResetRoutes(routes, parts)
  addTeamRoutes(routes, parts)
  addAuditRoutes(routes, parts)
}
