/** What runs alerts and tells of them, from the settings. */
import type { Logger } from 'pino'
import { createFire, type Fire } from '../alerts/fire.ts'
import type { RunAlert } from '../alerts/run.ts'
import { createScheduler } from '../alerts/scheduler.ts'
import type { Clock } from '../base/clock.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { once } from '../catalog/claims.ts'
import { type AlertRun, RUN_OUTCOMES } from '../model/alert-run.ts'
import type { Notifier } from '../notify/notify.ts'
import type { Settings } from '../settings.ts'

type Parts = {
  settings: Settings
  catalog: Catalog
  run: RunAlert
  notifier: Notifier
  metrics: Metrics
  clock: Clock
  log: Logger
}

export type AlertsAtWork = { fire: Fire; start(): Promise<void>; stop(): Promise<void> }

export function createAlertsAtWork({ settings, catalog, run, notifier, metrics, clock, log }: Parts): AlertsAtWork {
  const onError = (error: unknown): void => log.error({ err: error }, 'an alert could not be run')
  const counted = (outcome: AlertRun['outcome']) =>
    metrics.counter('millrace_alert_runs_total', 'Runs of alerts', { outcome })
  // Known from the start, so that a rate can be taken of the first one.
  for (const outcome of RUN_OUTCOMES) counted(outcome)
  const fire = createFire({ run, catalog, notifier, clock, publicUrl: settings.publicUrl, onError, counted })
  const { alerts, alertRuns, claims } = catalog
  const ownRuns = { ...alertRuns, prune: () => once(claims, 'runs of alerts', alertRuns.prune) }
  const scheduler = createScheduler({ catalog: { alerts, alertRuns: ownRuns }, fire, clock, counted, onError })
  return {
    fire,
    start: async () => (settings.runsAlerts ? scheduler.start() : undefined),
    stop: () => scheduler.stop(),
  }
}
