/**
 * Teams, as tools of earlier services know them. Here a team is the people of an account: it has the account's name and
 * token, is there from the beginning, and goes when the account does. People come and go by /api/users and
 * /api/invitations.
 */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import { Fault, InvalidRecord } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { type Account, AccountRecord, accountRecord, NewAccount } from '../../../model/account.ts'
import { UserRecord, userRecord } from '../../../model/person.ts'
import { byToken, nothing, type Routes } from '../../route.ts'

const Team = z.object({
  token: z.uuid(),
  name: z.string(),
  user: AccountRecord,
  team_users: z.array(UserRecord.pick({ email: true, name: true, role: true })),
})
type Team = z.infer<typeof Team>

const Changes = NewAccount.pick({ name: true })

const area = 'people'

export function addTeamRoutes(routes: Routes, { catalog }: { catalog: Catalog }): void {
  async function teamOf(account: Account): Promise<Team> {
    const users = await catalog.users.list(account.id)
    const team_users = users.map(({ email, name, role }) => ({ email, name, role }))
    return { token: account.token, name: account.name, user: accountRecord(account), team_users }
  }

  async function rename(identity: Identity, token: string, name: string): Promise<Team> {
    const account = await catalog.accounts.rename(own(identity, token).id, name)
    if (!account) throw noTeam()
    return teamOf(account)
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/teams',
    area,
    summary: 'The team of the account',
    status: 200,
    answer: z.array(Team),
    run: async ({ identity }) => [await teamOf(identity.account)],
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/teams',
    area,
    summary: 'Always refused: every account has its team already',
    body: Changes,
    status: 201,
    answer: Team,
    async run() {
      throw new InvalidRecord({ name: ['cannot be given to a second team: the account has its team already'] })
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/teams/:token',
    area,
    summary: 'A team',
    params: byToken,
    status: 200,
    answer: Team,
    run: async ({ identity, params }) => teamOf(own(identity, params.token)),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/teams/:token/members',
    area,
    summary: 'The people of a team',
    params: byToken,
    status: 200,
    answer: z.array(UserRecord),
    run: async ({ identity, params }) => (await catalog.users.list(own(identity, params.token).id)).map(userRecord),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/teams/:token',
    area,
    summary: 'Rename the team, and with it the account',
    params: byToken,
    body: Changes,
    status: 200,
    answer: Team,
    run: async ({ identity, params, body }) => rename(identity, params.token, body.name),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/teams/:token',
    area,
    summary: 'Rename the team, and with it the account',
    params: byToken,
    body: Changes,
    status: 204,
    async run({ identity, params, body }) {
      await rename(identity, params.token, body.name)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/teams/:token',
    area,
    summary: 'Always refused: a team goes when its account does',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      own(identity, params.token)
      throw new Fault('conflict', 'A team is the people of an account. Remove them one by one, or delete the account.')
    },
  })
}

function own({ account }: Identity, token: string): Account {
  if (account.token !== token.toLowerCase()) throw noTeam()
  return account
}

const noTeam = (): Fault => new Fault('not_found', 'There is no team with this token.')
