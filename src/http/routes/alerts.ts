/** Alerts: the records, and running one now. */
import { z } from 'zod'
import { callerName, type Identity } from '../../access/access.ts'
import type { RunAlert } from '../../alerts/run.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/faults.ts'
import type { CheckAlert } from '../../catalog/alerts.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { ALERT_ROWS_MAX, type Alert, AlertChanges, AlertRecord, isMuted, NewAlert } from '../../model/alert.ts'
import { byToken, FinishedJson, nothing, type Routes } from '../route.ts'

export type AlertParts = {
  catalog: Pick<Catalog, 'alerts'>
  check(accountId: number): CheckAlert
  run: RunAlert
  clock: Clock
  /** The records of those backends of the account; of one that is not there, none. */
  backendsOf(accountId: number, ids: number[]): Promise<Record<string, unknown>[]>
}

const area = 'alerts'

export function addAlertRoutes(
  routes: Routes,
  { catalog: { alerts }, check, run, backendsOf, clock }: AlertParts,
): void {
  async function alertOf({ account }: Identity, token: string): Promise<Alert> {
    const alert = await alerts.byToken(account.id, token)
    if (!alert) throw noAlert()
    return alert
  }

  async function recordOf({ account_id, last_told_at, ...alert }: Alert): Promise<AlertRecord> {
    return {
      ...alert,
      state: isMuted(alert, clock.nowMs()) ? 'muted' : alert.state,
      backends: await backendsOf(account_id, alert.backend_ids),
    }
  }

  async function change({ account: { id } }: Identity, token: string, changes: AlertChanges): Promise<AlertRecord> {
    const changed = await alerts.update(id, token, changes, check(id))
    if (!changed) throw noAlert()
    return recordOf(changed)
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/alerts',
    area,
    summary: 'All alerts by name',
    status: 200,
    answer: z.array(AlertRecord),
    run: async ({ identity }) => Promise.all((await alerts.list(identity.account.id)).map(recordOf)),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/alerts',
    area,
    summary: 'Save a query as an alert. Its name is a table in other queries; schedules are kept, but do not run yet',
    body: NewAlert,
    status: 201,
    answer: AlertRecord,
    async run({ identity, body }) {
      const { id } = identity.account
      return recordOf(await alerts.create(id, body, check(id)))
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/alerts/:token',
    area,
    summary: 'One alert',
    params: byToken,
    status: 200,
    answer: AlertRecord,
    run: async ({ identity, params }) => recordOf(await alertOf(identity, params.token)),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/alerts/:token',
    area,
    summary: 'Change the fields that are sent, and answer the record',
    params: byToken,
    body: AlertChanges,
    status: 200,
    answer: AlertRecord,
    run: ({ identity, params, body }) => change(identity, params.token, body),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/alerts/:token',
    area,
    summary: 'Change the fields that are sent',
    params: byToken,
    body: AlertChanges,
    status: 204,
    async run({ identity, params, body }) {
      await change(identity, params.token, body)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/alerts/:token',
    area,
    summary: 'Delete an alert',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      if (!(await alerts.remove(identity.account.id, params.token))) throw noAlert()
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/alerts/:token/run',
    area,
    summary: `Run the query of an alert now and answer its rows, at most ${ALERT_ROWS_MAX}; nothing is sent to anybody`,
    params: byToken,
    status: 200,
    answer: z.object({ result: z.array(z.record(z.string(), z.unknown())) }),
    async run({ identity, params, signal }) {
      const alert = await alertOf(identity, params.token)
      const { json } = await run(alert, { token: callerName(identity), signal })
      return new FinishedJson(Buffer.concat([Buffer.from('{"result":'), json, Buffer.from('}')]))
    },
  })
}

const noAlert = (): Fault => new Fault('not_found', 'There is no alert with this token.')
