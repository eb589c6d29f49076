/**
 * Notices: what a source tells of itself to those its `notifications` name: new fields, rejected events, backends that
 * fail, patterns that were seen.
 *
 * Promises: of one kind at most one message in `every_minutes`; what happens meanwhile is counted and told with the next;
 * ingest waits for none of it, and what a source is not asked to tell costs a look into a map. Of several nodes one looks at
 * backends and patterns, for all; rejected events and new fields each counts for itself, and one tells at a time.
 * Refuses nothing. What waits to be told when the process ends is not told.
 */
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Delivered } from '../model/alert-run.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Notifications } from '../model/notifications.ts'
import type { Source } from '../model/source.ts'
import type { Address, Notifier } from '../notify/notify.ts'
import type { Tail } from '../tail/tail.ts'
import { type BackendStatusOf, createBackendWatch } from './backend-watch.ts'
import { messageOf, type Told } from './message.ts'
import { createPatternWatch } from './patterns.ts'

export type Notices = {
  /** The settings of the source are these from now on. */
  adopt(source: Source): void
  forget(sourceToken: string): void
  /** New or wider fields, once they are durable. */
  fields(sourceToken: string, fields: FlatFields): void
  wantsFields(sourceToken: string): boolean
  /** How many, and why some of them were; the two may come apart. */
  rejected(sourceToken: string, rejected: { count: number; reasons: string[] }): void
  /** Sends a message to all addresses of the source, once, and answers how that went. */
  test(source: Source): Promise<Delivered[]>
  start(): Promise<void>
  /** What the timers do: takes up settings, looks at backends and patterns, sends what is due. */
  tick(): Promise<void>
  stop(): Promise<void>
}

export type Parts = {
  catalog: Pick<Catalog, 'sources' | 'backends' | 'claims'>
  statusOf: BackendStatusOf
  tail: Pick<Tail, 'admit'>
  notifier: Notifier
  clock: Clock
  publicUrl: string
  onError(error: unknown): void
}

type Talker = Source & { notifications: Notifications }
type Kept = Told & { lastMs: number }

const TICK_MS = 5_000
const REFRESH_EVERY = 12
/** Another node takes over the watch when this one has not looked for so long. */
const WATCH = 'watch over backends and patterns'
const WATCH_MS = 20_000
const SAMPLES_KEPT = 5

export function createNotices({ catalog, statusOf, tail, notifier, clock, publicUrl, onError }: Parts): Notices {
  let talkers = new Map<string, Talker>()
  /** By source and kind. */
  const kept = new Map<string, Map<string, Kept>>()
  const patterns = createPatternWatch({ tail, clock, report, onError })
  const backends = createBackendWatch({ catalog, statusOf, report })
  let timer: NodeJS.Timeout | null = null
  let ticks = 0
  let ticking: Promise<void> | null = null
  let isWatching = !catalog.claims.isShared

  function report(sourceToken: string, told: Told): void {
    if (!talkers.has(sourceToken)) return
    const ofSource = kept.get(sourceToken) ?? new Map<string, Kept>()
    kept.set(sourceToken, ofSource)
    const key = `${told.kind} ${told.name ?? ''}`
    const known = ofSource.get(key) ?? { ...told, count: 0, samples: [], lastMs: Number.NEGATIVE_INFINITY }
    known.count += told.count
    known.samples = [...known.samples, ...told.samples].slice(0, SAMPLES_KEPT)
    ofSource.set(key, known)
  }

  async function flush(): Promise<void> {
    const nowMs = clock.nowMs()
    for (const [token, ofSource] of kept) {
      const source = talkers.get(token)
      if (!source) kept.delete(token)
      else
        for (const [key, one] of ofSource)
          if (isDue(one, source, nowMs) && (await mayTell(source, key))) tell(source, one, nowMs)
    }
  }

  /** What another node told is not told again before its time; this one counts on until then. */
  const mayTell = ({ token, notifications }: Talker, key: string): Promise<boolean> =>
    catalog.claims.take(`notice ${token} ${key}`, notifications.every_minutes * 60_000)

  const adoptPatterns = (): void => patterns.adopt(isWatching ? [...talkers.values()] : [])

  function tell(source: Talker, one: Kept, nowMs: number): void {
    const message = messageOf({ source, told: one, atMs: nowMs, publicUrl })
    notifier.send(message, addressesOf(source.notifications)).catch(onError)
    Object.assign(one, { count: 0, samples: [], lastMs: nowMs })
  }

  /** Streams that ended are opened again, too. */
  async function watch(): Promise<void> {
    if (catalog.claims.isShared) isWatching = talkers.size > 0 && (await catalog.claims.take(WATCH, WATCH_MS))
    adoptPatterns()
  }

  async function takeUp(): Promise<void> {
    const all = await catalog.sources.all()
    talkers = new Map(all.filter(isTalker).map((source) => [source.token, source]))
    await watch()
  }

  async function tick(): Promise<void> {
    const isFullMinute = ticks++ % REFRESH_EVERY === 0
    await (isFullMinute ? takeUp() : watch())
    patterns.count()
    if (isFullMinute && isWatching)
      await backends.look([...talkers.values()].filter(({ notifications }) => notifications.errors))
    await flush()
  }

  return {
    adopt(source) {
      if (isTalker(source)) talkers.set(source.token, source)
      else talkers.delete(source.token)
      adoptPatterns()
    },
    forget(token) {
      talkers.delete(token)
      adoptPatterns()
    },
    wantsFields: (token) => talkers.get(token)?.notifications.schema_changes ?? false,
    fields(token, fields) {
      const own = Object.entries(fields).filter(([path]) => !/^_un(fit|listed)(\.|$)/.test(path))
      if (own.length === 0) return
      const samples = own.map(([field, type]) => ({ field, type }))
      report(token, { kind: 'schema_changes', count: own.length, samples })
    },
    rejected(token, { count, reasons }) {
      if (!talkers.get(token)?.notifications.errors) return
      const samples = reasons.slice(0, SAMPLES_KEPT).map((reason) => ({ reason }))
      report(token, { kind: 'rejected_events', count, samples })
    },
    async test(source) {
      const addresses = source.notifications ? addressesOf(source.notifications) : []
      if (addresses.length === 0)
        throw new Fault(
          'bad_request',
          'Nobody would hear of it: notifications has no emails, webhook_url or slack_hook_url.',
        )
      const told: Told = { kind: 'test', count: 1, samples: [{ note: 'This is a test.' }] }
      return notifier.tryOnce(messageOf({ source, told, atMs: clock.nowMs(), publicUrl }), addresses)
    },
    async start() {
      await takeUp()
      timer = setInterval(() => {
        ticking ??= tick()
          .catch(onError)
          .finally(() => {
            ticking = null
          })
      }, TICK_MS)
      timer.unref()
    },
    tick,
    async stop() {
      if (timer) clearInterval(timer)
      await ticking
      patterns.stop()
      if (isWatching) await catalog.claims.release(WATCH).catch(onError)
    },
  }
}

const isDue = ({ count, lastMs }: Kept, { notifications }: Talker, nowMs: number): boolean =>
  count > 0 && nowMs - lastMs >= notifications.every_minutes * 60_000

/** Only a source that has something to tell and somebody to tell it to is looked at. */
function isTalker(source: Source): source is Talker {
  const { notifications } = source
  if (notifications === null || addressesOf(notifications).length === 0) return false
  return notifications.schema_changes || notifications.errors || notifications.patterns.length > 0
}

function addressesOf({ emails, webhook_url, slack_hook_url }: Notifications): Address[] {
  return [
    ...(webhook_url ? [{ channel: 'webhook' as const, url: webhook_url }] : []),
    ...(slack_hook_url ? [{ channel: 'slack' as const, url: slack_hook_url }] : []),
    ...emails.map((address) => ({ channel: 'email' as const, address })),
  ]
}
