import { z } from 'zod'
import { readScopes } from '../../access/scopes.ts'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { NewToken, type Token, TokenRecord } from '../../model/token.ts'
import { nothing, type Routes } from '../route.ts'
import { assertMayName } from './people/users.ts'

export function addAccessTokenRoutes(routes: Routes, { catalog }: { catalog: Catalog }): void {
  const area = 'access tokens'

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/access-tokens',
    area,
    summary: 'Tokens that are not revoked, without their values',
    status: 200,
    answer: z.array(TokenRecord),
    run: async ({ identity }) => (await catalog.tokens.list(identity.account.id)).map(tokenRecord),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/access-tokens',
    area,
    summary: 'Make a token; its value is in this answer and never shown again',
    body: NewToken,
    status: 201,
    answer: TokenRecord.extend({ token: z.string() }),
    async run({ identity, body }) {
      // It may do what owners may, so it is theirs to give.
      if (readScopes(body.scopes ?? '').management) assertMayName(identity, 'owner')
      const { token, value } = await catalog.tokens.create(identity.account.id, body)
      return { ...tokenRecord(token), token: value }
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/access-tokens/:id',
    area,
    summary: 'Revoke a token, by id or by value; it is refused from now on',
    params: z.object({ id: z.string().max(512) }),
    status: 204,
    async run({ identity, params: { id } }) {
      const which = /^\d{1,9}$/.test(id) ? { id: Number(id) } : { value: id }
      if (await catalog.tokens.revoke(identity.account.id, which)) return undefined
      throw new Fault('not_found', 'There is no such token.')
    },
  })
}

function tokenRecord({ account_id, ...record }: Token): TokenRecord {
  return record
}
