/** Trying the places that a source tells things to. */
import { z } from 'zod'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { Delivered } from '../../../model/alert-run.ts'
import type { Notices } from '../../../notices/notices.ts'
import { byToken, nothing, type Routes } from '../../route.ts'

export type NotificationParts = { catalog: Pick<Catalog, 'sources'>; notices: Pick<Notices, 'test'> }

export function addNotificationRoutes(routes: Routes, { catalog, notices }: NotificationParts): void {
  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/sources/:token/notifications/test',
    area: 'sources',
    summary:
      'Send a test message to every place that the notifications of a source name, once, and answer how that went',
    params: byToken,
    status: 200,
    answer: z.object({ deliveries: z.array(Delivered) }),
    async run({ identity, params }) {
      const source = await catalog.sources.byToken(identity.account.id, params.token)
      if (!source) throw new Fault('not_found', 'There is no source with this token.')
      return { deliveries: await notices.test(source) }
    },
  })
}
