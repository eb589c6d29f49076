/** Accounts, managed by the first one: the owner of the deployment. To every other account these routes are closed. */
import { z } from 'zod'
import type { Identity } from '../../access/access.ts'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { AccountRecord, accountRecord, NewAccount } from '../../model/account.ts'
import type { Source } from '../../model/source.ts'
import { byToken, nothing, type Routes } from '../route.ts'

type Parts = {
  catalog: Catalog
  /** Waited for before the answer: the source's events go with it. */
  onSourceDeleted(source: Source): void | Promise<void>
}

export function addAccountsRoutes(routes: Routes, { catalog, onSourceDeleted }: Parts): void {
  async function allowOwner({ account }: Identity): Promise<void> {
    const owner = await catalog.accounts.owner()
    if (owner?.id !== account.id) {
      throw new Fault('forbidden', 'This needs a token with the scope management of the first account.')
    }
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/accounts',
    area: 'accounts',
    summary: 'All accounts (first account only)',
    status: 200,
    answer: z.array(AccountRecord),
    async run({ identity }) {
      await allowOwner(identity)
      return (await catalog.accounts.list()).map(accountRecord)
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/accounts',
    area: 'accounts',
    summary: 'Make an account; its management token is shown once (first account only)',
    body: NewAccount,
    status: 201,
    answer: AccountRecord.extend({ management_token: z.string() }),
    async run({ identity, body }) {
      await allowOwner(identity)
      const account = await catalog.accounts.create(body)
      const { value } = await catalog.tokens.create(account.id, { description: 'management', scopes: 'management' })
      return { ...accountRecord(account), management_token: value }
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/accounts/:token',
    area: 'accounts',
    summary: 'Delete an account and everything it owns (first account only)',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      await allowOwner(identity)
      const account = await catalog.accounts.byToken(params.token.toLowerCase())
      if (!account) throw new Fault('not_found', 'There is no account with this token.')
      const sources = await catalog.sources.list(account.id)
      await catalog.accounts.remove(account.id)
      for (const source of sources) await onSourceDeleted(source)
      return undefined
    },
  })
}
