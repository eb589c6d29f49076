/** Alerts: the records, running one now, and what became of past runs. */
import { z } from 'zod'
import { callerName, type Identity } from '../../access/access.ts'
import type { Fire } from '../../alerts/fire.ts'
import type { RunAlert } from '../../alerts/run.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/faults.ts'
import type { CheckAlert } from '../../catalog/alerts.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { ALERT_ROWS_MAX, type Alert, AlertChanges, AlertRecord, isMuted, NewAlert } from '../../model/alert.ts'
import { AlertRun, RUNS_KEPT, RUNS_KEPT_DAYS } from '../../model/alert-run.ts'
import { byToken, FinishedJson, nothing, type Routes } from '../route.ts'

export type AlertParts = {
  catalog: Pick<Catalog, 'alerts' | 'alertRuns'>
  check(accountId: number): CheckAlert
  run: RunAlert
  fire: Fire
  clock: Clock
  /** The records of those backends of the account; of one that is not there, none. */
  backendsOf(accountId: number, ids: number[]): Promise<Record<string, unknown>[]>
}

const area = 'alerts'

export function addAlertRoutes(routes: Routes, { catalog, check, run, fire, backendsOf, clock }: AlertParts): void {
  const { alerts } = catalog

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
    summary: 'Save a query as an alert. Its name is a table in other queries',
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
    summary: `Run the query of an alert now and answer its rows, at most ${ALERT_ROWS_MAX}. With notify=true it is a run like any other: written to the history, and those of the alert are told when it fires`,
    params: byToken,
    query: z.object({ notify: z.enum(['true', 'false']).optional() }),
    status: 200,
    answer: Ran,
    async run({ identity, params, query, signal }) {
      const alert = await alertOf(identity, params.token)
      const asked = { token: callerName(identity), signal }
      if (query.notify !== 'true') {
        const { json } = await run(alert, asked)
        return new FinishedJson(Buffer.concat([Buffer.from('{"result":'), json, Buffer.from('}')]))
      }
      const { rows, fired, run: id } = await fire(alert, { trigger: 'request', atMs: clock.nowMs(), ...asked })
      return { result: rows, fired, run: id }
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/alerts/:token/runs',
    area,
    summary: `What became of the last runs, newest first: of ${RUNS_KEPT_DAYS} days, at most ${RUNS_KEPT}`,
    params: byToken,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(RUNS_KEPT).optional(),
      before: z.coerce.number().int().optional(),
    }),
    status: 200,
    answer: z.array(AlertRun),
    async run({ identity, params, query: { limit = RUNS_SHOWN, before = null } }) {
      const { id } = await alertOf(identity, params.token)
      return catalog.alertRuns.list(id, { limit, beforeId: before })
    },
  })
}

const RUNS_SHOWN = 100

const Ran = z.object({
  result: z.array(z.record(z.string(), z.unknown())),
  /** Whether the condition was met, and the run in the history; only with `notify`. */
  fired: z.boolean().optional(),
  run: z.int().nullable().optional(),
})

const noAlert = (): Fault => new Fault('not_found', 'There is no alert with this token.')
