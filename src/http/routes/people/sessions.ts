/** Where people are logged in: one's own browsers; for admins, those of the whole account. */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { covers, SessionRecord } from '../../../model/person.ts'
import { nothing, type Routes } from '../../route.ts'
import { personOf } from './session.ts'
import { byId } from './users.ts'

const area = 'people'

export function addSessionsRoutes(routes: Routes, { catalog }: { catalog: Catalog }): void {
  /** Whose sessions somebody sees: null for everybody's. */
  const visibleTo = (identity: Identity): number | null =>
    'user' in identity && !covers(identity.user.role, 'admin') ? identity.user.id : null

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sessions',
    area,
    summary: 'Browsers that are logged in: one’s own, for admins all of the account',
    status: 200,
    answer: z.array(SessionRecord.extend({ email: z.string(), current: z.boolean() })),
    async run({ identity }) {
      const { id } = identity.account
      const emails = new Map((await catalog.users.list(id)).map((user) => [user.id, user.email]))
      const current = 'user' in identity ? identity.session.id : null
      return (await catalog.sessions.list(id, visibleTo(identity))).map((session) => ({
        ...session,
        email: emails.get(session.user_id) ?? '',
        current: session.id === current,
      }))
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/sessions',
    area,
    summary: 'Log out everywhere: all of one’s own browsers, this one too',
    status: 204,
    async run({ identity }) {
      await catalog.sessions.removeAllOf(personOf(identity).user.id)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/sessions/:id',
    area,
    summary: 'Log a browser out',
    params: byId,
    status: 204,
    async run({ identity, params }) {
      if (await catalog.sessions.remove(identity.account.id, params.id, visibleTo(identity))) return undefined
      throw new Fault('not_found', 'There is no such session.')
    },
  })
}
