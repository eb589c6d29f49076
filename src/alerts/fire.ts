/**
 * One run of an alert from end to end: the query, the condition, the state, who is told, and the line in the history.
 *
 * Promises: every run leaves a line and a state, also one whose query failed; messages go their own way, and nothing
 * waits for their receivers. Somebody who asks for a run by hand is told of what it found, muted or not.
 */
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { Counter } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Alert, type AlertStanding, isMuted } from '../model/alert.ts'
import type { AlertRun, Delivered } from '../model/alert-run.ts'
import { type Address, type Notifier, pending } from '../notify/notify.ts'
import { meeting, type Row } from './condition.ts'
import { messageOf } from './message.ts'
import type { RunAlert } from './run.ts'

export type Occasion = {
  trigger: AlertRun['trigger']
  /** When it was due, or asked for. */
  atMs: number
  /** The description of the token that asked. */
  token: string | null
  signal: AbortSignal
}

export type Fired = { rows: Row[]; fired: boolean; run: number | null }

/** Throws what the query threw, once it is written down. */
export type Fire = (alert: Alert, occasion: Occasion) => Promise<Fired>

type Parts = {
  run: RunAlert
  catalog: Pick<Catalog, 'alerts' | 'alertRuns' | 'backends'>
  notifier: Notifier
  clock: Clock
  publicUrl: string
  counted(outcome: AlertRun['outcome']): Counter
  onError(error: unknown): void
}

type Found = { all: Row[]; met: Row[]; error: null } | { all: []; met: []; error: unknown }

export function createFire({ run, catalog, notifier, clock, publicUrl, counted, onError }: Parts): Fire {
  return async function fire(alert, occasion) {
    const { trigger, atMs } = occasion
    const startMs = clock.nowMs()
    const found = await find(alert, occasion)
    const { state, outcome } = judge(alert, found)
    const muted = trigger === 'schedule' && isMuted(alert, clock.nowMs())
    const news = muted ? null : newsOf(alert, outcome, occasion)
    const addresses = news ? await addressesOf(alert) : []

    const at = new Date(atMs).toISOString()
    const error = found.error === null ? null : wordsOf(found.error)
    await catalog.alerts.settle(alert.id, {
      state,
      state_since: state === alert.state ? alert.state_since : at,
      last_run_at: at,
      last_told_at: toldAt(alert, state, news, at),
      last_error: error,
    })
    const id = await catalog.alertRuns.add(alert.id, {
      ...{ at, trigger, outcome, rows: found.met.length, ms: clock.nowMs() - startMs, muted, error, missed: 0 },
      deliveries: addresses.map(pending),
    })
    counted(outcome).value++
    if (news && id !== null && addresses.length > 0) tell(alert, news, found.met, addresses, { id, atMs })
    if (found.error !== null) throw found.error
    return { rows: found.all, fired: found.met.length > 0, run: id }
  }

  async function find(alert: Alert, { token, signal }: Occasion): Promise<Found> {
    try {
      const { json } = await run(alert, { token, signal })
      const all: Row[] = JSON.parse(json.toString('utf8'))
      return { all, met: meeting(all, alert.condition), error: null }
    } catch (error) {
      if (!(error instanceof Fault)) onError(error)
      return { all: [], met: [], error }
    }
  }

  async function addressesOf(alert: Alert): Promise<Address[]> {
    const { webhook_notification_url: webhook, slack_hook_url: slack, emails, backend_ids } = alert
    const backends = await Promise.all(backend_ids.map((id) => catalog.backends.byId(alert.account_id, id)))
    return [
      ...(webhook ? [{ channel: 'webhook' as const, url: webhook }] : []),
      ...(slack ? [{ channel: 'slack' as const, url: slack }] : []),
      ...emails.map((address) => ({ channel: 'email' as const, address })),
      ...backends.flatMap((backend) => (backend ? [{ channel: 'backend' as const, backend }] : [])),
    ]
  }

  function tell(
    alert: Alert,
    state: 'firing' | 'resolved',
    rows: Row[],
    addresses: Address[],
    { id, atMs }: { id: number; atMs: number },
  ): void {
    // Steps are written one after the other: the last one says how it ended.
    let writing = Promise.resolve()
    const note = (deliveries: Delivered[]): Promise<void> => {
      writing = writing.then(() => catalog.alertRuns.deliver(id, deliveries)).catch(onError)
      return writing
    }
    const message = messageOf({ alert, state, rows, atMs, publicUrl })
    notifier.send(message, addresses, note).catch(onError)
  }
}

function judge(alert: Alert, { met, error }: Found): { state: AlertStanding['state']; outcome: AlertRun['outcome'] } {
  if (error !== null) return { state: 'failing', outcome: 'failed' }
  if (met.length > 0) return { state: 'firing', outcome: 'firing' }
  // A query that failed in between does not end what it could not see.
  const wasFiring = alert.state === 'firing' || (alert.state === 'failing' && alert.last_told_at !== null)
  return { state: 'ok', outcome: wasFiring ? 'resolved' : 'ok' }
}

/** What somebody should hear now. */
function newsOf(
  { last_told_at, repeat_minutes, notify_resolved }: Alert,
  outcome: AlertRun['outcome'],
  { trigger, atMs }: Occasion,
): 'firing' | 'resolved' | null {
  if (outcome === 'resolved') return notify_resolved && last_told_at !== null ? 'resolved' : null
  if (outcome !== 'firing') return null
  if (trigger === 'request' || last_told_at === null) return 'firing'
  if (repeat_minutes === null) return null
  return atMs - Date.parse(last_told_at) >= repeat_minutes * 60_000 ? 'firing' : null
}

function toldAt(alert: Alert, state: string, news: string | null, at: string): string | null {
  if (state === 'ok') return null
  return news === 'firing' ? at : alert.last_told_at
}

const wordsOf = (error: unknown): string =>
  error instanceof Fault
    ? error.message
    : 'The run failed inside the service. The operator finds the reason in the log.'
