import { z } from 'zod'
import { Fault } from '../../base/faults.ts'
import { RunningQuery } from '../../model/running-query.ts'
import type { Running } from '../../query/running.ts'
import { nothing, type Routes } from '../route.ts'

const area = 'query'

export function addRunningQueryRoutes(
  routes: Routes,
  { running }: { running: Pick<Running, 'list' | 'cancel'> },
): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/queries/running',
    area,
    summary: 'Queries of the account that run now on this node, the oldest first',
    status: 200,
    answer: z.array(RunningQuery),
    run: async ({ identity }) => running.list(identity.account.id),
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/queries/running/:id',
    area,
    summary: 'End a query that runs; whoever asked is told that it was cancelled',
    params: z.object({
      id: z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    }),
    status: 204,
    async run({ identity, params }) {
      if (running.cancel(identity.account.id, params.id)) return undefined
      throw new Fault('not_found', 'This query does not run any more.')
    },
  })
}
