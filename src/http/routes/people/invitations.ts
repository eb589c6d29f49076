/** Invitations. A link is shown to the one who invites, once, and mailed when mail is set up. */
import { z } from 'zod'
import { callerName } from '../../../access/access.ts'
import { assertNotCrossSite } from '../../../access/people/csrf.ts'
import type { Inviting } from '../../../access/people/invitations.ts'
import type { People } from '../../../access/people/people.ts'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { Email, type Invitation, InvitationRecord, NewPassword, PersonName, Role } from '../../../model/person.ts'
import { nothing, type Routes } from '../../route.ts'
import { enter, SessionAnswer } from './session.ts'
import { assertMayName, byId } from './users.ts'

const area = 'people'

type Parts = { catalog: Catalog; people: People; inviting: Inviting }

export function addInvitationRoutes(routes: Routes, { catalog, people, inviting }: Parts): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/invitations',
    area,
    summary: 'Invitations that are still open',
    status: 200,
    answer: z.array(InvitationRecord),
    run: async ({ identity }) => (await catalog.invitations.list(identity.account.id)).map(invitationRecord),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/invitations',
    area,
    summary: 'Invite somebody; the link is in this answer and never shown again, and works once within 7 days',
    body: z.strictObject({ email: Email, role: Role.default('member') }),
    status: 201,
    answer: InvitationRecord.extend({ token: z.string(), link: z.string(), mailed: z.boolean() }),
    async run({ identity, body: { email, role } }) {
      assertMayName(identity, role)
      const { invitation, ...rest } = await inviting.invite(identity.account, {
        email,
        role,
        invitedBy: callerName(identity),
      })
      return { ...invitationRecord(invitation), ...rest }
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/invitations/:id',
    area,
    summary: 'Withdraw an invitation; its link is dead',
    params: byId,
    status: 204,
    async run({ identity, params }) {
      if (await catalog.invitations.remove(identity.account.id, params.id)) return undefined
      throw new Fault('not_found', 'There is no such invitation.')
    },
  })

  routes.addOpen({
    ...nothing,
    method: 'POST',
    path: '/api/invitations/accept',
    area,
    summary: 'Take up an invitation: choose a password, and be logged in',
    body: z.strictObject({ token: z.string().min(1).max(512), name: PersonName.nullish(), password: NewPassword }),
    status: 201,
    answer: SessionAnswer,
    async run({ body: { token, name, password }, headers, visitor, setHeader }) {
      assertNotCrossSite(headers)
      const giveBack = people.attempts.count(visitor.address)
      const user = await inviting.accept({ token, name: name ?? null, password })
      giveBack()
      return enter(await people.welcome(user, visitor), visitor, setHeader)
    },
  })
}

function invitationRecord({ account_id, ...record }: Invitation): InvitationRecord {
  return record
}
