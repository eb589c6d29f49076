import type { Account } from '../../model/account.ts'
import { SystemRecord } from '../../model/system.ts'
import { nothing, type Routes } from '../route.ts'

export type SystemParts = { system(account: Account): Promise<SystemRecord> }

export function addSystemRoutes(routes: Routes, { system }: SystemParts): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/system',
    area: 'system',
    summary:
      'How this node is doing: state, versions, journal, engine, disk, and what each source of the account takes',
    status: 200,
    answer: SystemRecord,
    run: async ({ identity }) => system(identity.account),
  })
}
