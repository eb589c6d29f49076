/** The people of an account. Who is an owner, only owners decide. */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import type { People } from '../../../access/people/people.ts'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import {
  GivenPassword,
  NewPassword,
  PersonName,
  Role,
  type User,
  UserRecord,
  userRecord,
} from '../../../model/person.ts'
import { nothing, type Routes } from '../../route.ts'
import { personOf } from './session.ts'

export const byId = z.object({
  id: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
})

const Changes = z.strictObject({ name: PersonName.nullish(), role: Role.optional() })

const area = 'people'

export function addUserRoutes(routes: Routes, { catalog, people }: { catalog: Catalog; people: People }): void {
  async function find({ account }: Identity, id: number): Promise<User> {
    const user = await catalog.users.byId(account.id, id)
    if (!user) throw nobody()
    return user
  }

  async function change(identity: Identity, id: number, { name, role }: z.output<typeof Changes>): Promise<User> {
    const user = await find(identity, id)
    if (role !== undefined && role !== user.role) assertMayName(identity, user.role, role)
    else assertMayName(identity, user.role)
    const changed = await catalog.users.update(identity.account.id, id, {
      ...(name === undefined ? {} : { name }),
      ...(role === undefined ? {} : { role }),
    })
    if (!changed) throw nobody()
    return changed
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/users',
    area,
    summary: 'The people of the account',
    status: 200,
    answer: z.array(UserRecord),
    run: async ({ identity }) => (await catalog.users.list(identity.account.id)).map(userRecord),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/users/:id',
    area,
    summary: 'One person',
    params: byId,
    status: 200,
    answer: UserRecord,
    run: async ({ identity, params }) => userRecord(await find(identity, params.id)),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/users/:id',
    area,
    summary: 'Change name or role; the last owner stays one',
    params: byId,
    body: Changes,
    status: 200,
    answer: UserRecord,
    run: async ({ identity, params, body }) => userRecord(await change(identity, params.id, body)),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/users/:id',
    area,
    summary: 'Change name or role; the last owner stays one',
    params: byId,
    body: Changes,
    status: 204,
    async run({ identity, params, body }) {
      await change(identity, params.id, body)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/users/:id',
    area,
    summary: 'Remove a person; their sessions end at once',
    params: byId,
    status: 204,
    async run({ identity, params }) {
      assertMayName(identity, (await find(identity, params.id)).role)
      await catalog.users.remove(identity.account.id, params.id)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/users/:id/password',
    area,
    summary: 'Change one’s own password; all other sessions end',
    params: byId,
    body: z.strictObject({ old_password: GivenPassword, password: NewPassword }),
    status: 204,
    async run({ identity, params, body, visitor }) {
      const person = personOf(identity)
      if (person.user.id !== params.id) throw new Fault('forbidden', 'Everybody changes only their own password.')
      await people.changePassword(person, body, visitor)
      return undefined
    },
  })
}

/** Throws unless the one who asks may touch people of these roles. */
export function assertMayName(identity: Identity, ...roles: Role[]): void {
  if ('user' in identity && identity.user.role !== 'owner' && roles.includes('owner'))
    throw new Fault('forbidden', `This needs the role owner; yours is ${identity.user.role}.`)
}

const nobody = (): Fault => new Fault('not_found', 'There is nobody with this id.')
