/** The listeners that settings ask for, as one part to start and stop. */
import type { Metrics } from '../base/metrics.ts'
import { createStoring } from '../http/ingest/storing.ts'
import { createForwardListener } from '../listeners/forward/listener.ts'
import { createOtlpGrpcListener } from '../listeners/otlp-grpc/listener.ts'
import { createStore, type StoreParts } from '../listeners/store.ts'
import { createSyslogListener } from '../listeners/syslog/listener.ts'
import type { Settings } from '../settings.ts'

type Parts = StoreParts & {
  settings: Settings
  /** Throws when no events can be taken now. */
  assertOpen(): void
  /** Told of what failed for a reason of our own. */
  onError(error: unknown): void
  metrics: Metrics
  log: { info(details: object, text: string): void; warn(details: object, text: string): void }
}

export type Listeners = {
  start(): Promise<void>
  stop(): Promise<void>
  /** One entry for each listener that is on. */
  health(): Record<string, unknown>
}

/** What could not be stored before, because there was no room, is tried this long once the service is told to stop. */
const LAST_TRIES_MS = 2_000

export function createListeners(parts: Parts): Listeners {
  const { settings, access, assertOpen, onError, metrics, log } = parts
  const { syslog, forward, otlpGrpc } = settings
  const store = createStore(parts)
  const storing = createStoring(parts)
  const listeners = {
    ...(syslog && { syslog: createSyslogListener({ settings: syslog, store, metrics, log }) }),
    ...(forward && { forward: createForwardListener({ settings: forward, store, metrics, log }) }),
    ...(otlpGrpc && {
      otlp_grpc: createOtlpGrpcListener({ settings: otlpGrpc, access, storing, assertOpen, onError }),
    }),
  }
  const all = Object.entries(listeners)
  return {
    async start() {
      for (const [name, listener] of all) log.info({ at: await listener.start() }, `${name} listener is ready`)
    },
    async stop() {
      const lastTries = setTimeout(store.stop, LAST_TRIES_MS)
      await Promise.all(all.map(([, listener]) => listener.stop()))
      clearTimeout(lastTries)
    },
    health: () => Object.fromEntries(all.map(([name, listener]) => [name, listener.health()])),
  }
}
