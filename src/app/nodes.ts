/**
 * What makes this process one of several nodes that share a catalog in PostgreSQL: peers, and the parts that reach beyond this
 * node (live tail, kept answers, the status of backends, fields of sources). On SQLite nothing of it is loaded.
 */
import type { Logger } from 'pino'
import type { Delivery } from '../backends/delivery/delivery.ts'
import type { Clock } from '../base/clock.ts'
import type { Changes } from '../catalog/changes.ts'
import type { Shared } from '../catalog/shared/shared.ts'
import { createSharing } from '../endpoints/sharing.ts'
import { VERSION } from '../http/openapi.ts'
import { addPeerRoutes, STATUS_OF_ONE } from '../http/routes/peers.ts'
import type { Area } from '../http/server.ts'
import type { Schemas } from '../ingest/schema/schemas.ts'
import { createFieldSharing } from '../ingest/schema/sharing.ts'
import type { Journal } from '../journal/journal.ts'
import { type Backend, BackendStatus } from '../model/backend.ts'
import { guessAddress } from '../peers/address.ts'
import { createPeers, type Peer } from '../peers/peers.ts'
import type { Settings } from '../settings.ts'
import { createClusterTail } from '../tail/cluster.ts'
import type { Tail } from '../tail/tail.ts'
import { secretKeyOf } from './catalog.ts'
import type { Reading } from './reading.ts'

type Parts = {
  settings: Settings
  shared: Shared
  changes: Changes
  schemas: Schemas
  journal: Journal
  clock: Clock
  log: Logger
  /** How many sources live in the warehouse of whichever node took their events. */
  scattered(): number
}

export type NodesAtWork = Awaited<ReturnType<typeof joinNodes>>

const scatteredText = (count: number): string =>
  `Several nodes share the metadata, and ${count} sources live in the warehouses of the nodes: a search on one node does not ` +
  'find what another took. Give them a home in a store: MILLRACE_DEFAULT_BACKEND for new ones, their home for others.'

export async function joinNodes({ settings, shared, changes, schemas, journal, clock, log, scattered }: Parts) {
  const onError = (error: unknown): void =>
    log.warn({ err: error }, 'sharing with other nodes failed; it is tried again')
  let isTold = false
  const warning = (): string | null => (peers.live().length > 0 && scattered() > 0 ? scatteredText(scattered()) : null)
  const peers = await createPeers({
    nodes: shared.nodes,
    token: shared.node,
    version: VERSION,
    position: journal.end,
    secretKey: await secretKeyOf(settings),
    clock,
    warn: (text) => log.warn(text),
    onLooked() {
      const text = warning()
      if (text !== null && !isTold) log.error(text)
      isTold = text !== null
    },
  })
  const fields = createFieldSharing({ schemas, journal, shared: shared.fields, changes, onError })
  const { sharing, lendOf } = createSharing({ claims: shared.claims, peers })

  async function statusThere(peer: Peer, { account_id, token }: Backend): Promise<BackendStatus | null> {
    const asked = new URLSearchParams({ account: String(account_id), token })
    const answer = await peers.ask(peer, `${STATUS_OF_ONE}?${asked}`).catch(() => null)
    return answer && BackendStatus.parse(JSON.parse(answer.body.toString('utf8')))
  }

  /** What all nodes together say of a backend. Each delivers what it took, from its own journal. */
  async function statusEverywhere(delivery: Pick<Delivery, 'status'>, backend: Backend): Promise<BackendStatus> {
    const others = peers.live()
    const [own, ...there] = await Promise.all([
      delivery.status(backend),
      ...others.map((peer) => statusThere(peer, backend)),
    ])
    const silent = others.filter((_, i) => there[i] === null).map(({ address }) => address)
    return { ...summed([own, ...there.filter((one) => one !== null)]), silent_nodes: silent }
  }

  return {
    sharing,
    follow: () => shared.follow(onError),
    shareFields: fields.start,
    isLearned: fields.isLearned,
    tailEverywhere: (tail: Tail): Tail => createClusterTail({ tail, peers }),
    delivering: (delivery: Delivery): Delivery => ({
      ...delivery,
      status: (backend) => statusEverywhere(delivery, backend),
    }),
    area:
      (parts: {
        tail: Tail
        delivery: Delivery
        reading: Reading
        catalog: Parameters<typeof addPeerRoutes>[1]['catalog']
      }): Area =>
      (scope) =>
        addPeerRoutes(scope, {
          ...{ peers, token: shared.node, tail: parts.tail, catalog: parts.catalog },
          statusOf: (backend) => parts.delivery.status(backend),
          lend: lendOf(parts.reading.cache),
        }),
    health() {
      const { live, unreachable, warning: own } = peers.health()
      return { nodes: { live, unreachable, warnings: [own, warning()].filter((one) => one !== null) } }
    },
    counts: () => ({ live: peers.health().live, unreachable: peers.health().unreachable.length }),
    start: (address: string) =>
      peers.start(settings.nodeAddress ?? guessAddress(settings.host, Number(new URL(address).port))),
    async stop() {
      await peers.stop()
      await fields.stop()
    },
  }
}

const WORST: BackendStatus['state'][] = ['ok', 'retrying', 'stopped']

/** Dead letters are in the catalog and known to all; the rest each node counts for itself. */
export function summed(all: BackendStatus[]): BackendStatus {
  const sum = (of: (one: BackendStatus) => number): number => all.reduce((total, one) => total + of(one), 0)
  return {
    state: WORST[Math.max(...all.map(({ state }) => WORST.indexOf(state)))] ?? 'ok',
    lag_events: sum((one) => one.lag_events),
    lag_seconds: Math.max(...all.map((one) => one.lag_seconds)),
    delivered: sum((one) => one.delivered),
    retried: sum((one) => one.retried),
    dropped: sum((one) => one.dropped),
    dead_letters: Math.max(...all.map((one) => one.dead_letters)),
    last_error: all.map((one) => one.last_error).find((error) => error !== null) ?? null,
  }
}
