import { z } from 'zod'
import type { Catalog } from '../../../catalog/catalog.ts'
import { AuditEntry } from '../../../model/audit.ts'
import { nothing, type Routes } from '../../route.ts'

const LIMIT_MAX = 1000

export function addAuditRoutes(routes: Routes, { catalog }: { catalog: Catalog }): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/audit',
    area: 'people',
    summary: 'Who changed what, newest first; before is the id of the last entry of the page before',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(100),
      before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
    }),
    status: 200,
    answer: z.array(AuditEntry),
    run: async ({ identity, query: { limit, before } }) =>
      catalog.auditLog.list(identity.account.id, { limit, before: before ?? null }),
  })
}
