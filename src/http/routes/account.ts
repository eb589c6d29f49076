import { AccountRecord, accountRecord } from '../../model/account.ts'
import { nothing, type Routes } from '../route.ts'

export function addAccountRoutes(routes: Routes): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/account',
    area: 'account',
    summary: 'The account of the token',
    status: 200,
    answer: AccountRecord,
    run: async ({ identity }) => accountRecord(identity.account),
  })
}
