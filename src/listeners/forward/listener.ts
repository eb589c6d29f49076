/**
 * Fluent's forward protocol over TCP and TLS, for Fluentd, Fluent Bit and the libraries that speak it.
 *
 * Promises: a chunk is acknowledged once its events are durable; a connection is read only as fast as its events are
 * stored. With a shared key nobody is heard who does not know it, and with users nobody without a password.
 * Refuses: what is no message of the protocol, and messages over 12 MB, by closing the connection; messages whose source
 * is unknown get no acknowledgement and are counted, with a line in the log.
 */
import { createServer, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { Fault } from '../../base/faults.ts'
import type { Metrics } from '../../base/metrics.ts'
import { createBudget } from '../../http/ingest/budget.ts'
import { type ForwardMessage, readForward } from '../../ingest/formats/forward/forward.ts'
import { asDelivery } from '../../ingest/formats/forward/lines.ts'
import { createConnections } from '../connections.ts'
import type { Listener } from '../listener.ts'
import { secureServer, type TlsSettings } from '../secure-server.ts'
import type { Store } from '../store.ts'
import { createHandshake } from './handshake.ts'
import {
  HANDSHAKE_MS,
  IDLE_MS,
  MAX_CHUNK_LENGTH,
  MAX_CONNECTIONS,
  MAX_HELD_BYTES,
  MAX_STRANGER_BYTES,
} from './limits.ts'
import { pack } from './pack.ts'
import { createValues } from './values.ts'

export type ForwardSettings = {
  host: string
  /** In the clear; null: not at all. 0: any that is free. */
  port: number | null
  tls: TlsSettings | null
  token: string
  /** Of events whose tag has none; name or token. */
  source: string | null
  /** Tags, or beginnings of tags that end in `*`, and their sources; the first that fits counts. */
  tagSources: [string, string][]
  sharedKey: string | null
  /** Names and passwords, of which a sender must have one too. */
  users: [string, string][]
}

export type ForwardHealth = { connections: number; received: number; refused: number }

type Parts = {
  settings: ForwardSettings
  store: Store
  metrics: Metrics
  log: { warn(details: object, text: string): void }
}

/** A sender with a wrong key comes again and again. */
const WARN_EVERY_MS = 10_000

/** Who has said all still gets its acknowledgements. */
const HALF_OPEN = { allowHalfOpen: true }

export function createForwardListener({
  settings,
  store,
  metrics,
  log,
}: Parts): Listener & { health(): ForwardHealth } {
  const { host, port, tls, token, sharedKey, users } = settings
  const received = metrics.counter('millrace_forward_received_total', 'Events received by the forward protocol')
  const refused = metrics.counter(
    'millrace_forward_refused_total',
    'Events and connections of the forward protocol that were not taken',
  )
  const budget = createBudget(MAX_HELD_BYTES)
  const working = new Set<Promise<void>>()
  let warnAfterMs = 0

  /** The events of messages that came together, one delivery for each source. Answers the chunks that are stored. */
  async function keep(messages: ForwardMessage[]): Promise<string[]> {
    const stored: string[] = []
    for (const [source, group] of bySource(messages, settings)) {
      const lines = group.flatMap((message) => message.lines)
      received.value += lines.length
      try {
        if (lines.length > 0) {
          const { refusedCount } = await store.keep({ token, source, ...asDelivery(lines) })
          refused.value += refusedCount
        }
        for (const { chunk } of group) if (chunk !== null && chunk.length <= MAX_CHUNK_LENGTH) stored.push(chunk)
      } catch (error) {
        refused.value += lines.length
        const reason = error instanceof Fault ? error.message : undefined
        log.warn(
          { err: error, reason, tags: [...new Set(group.map(({ tag }) => tag))].slice(0, 10) },
          'forwarded events were not stored',
        )
      }
    }
    return stored
  }

  function serve(socket: Socket): void {
    const share = budget.open()
    const values = createValues({
      hold(bytes) {
        if (!isKnown && bytes > 2 * MAX_STRANGER_BYTES)
          throw new Fault('too_large', 'A sender said too much before it showed that it knows the shared key.')
        share.hold(bytes)
      },
    })
    const handshake = sharedKey === null ? null : createHandshake({ sharedKey, users, hostname: hostname() })
    let isKnown = handshake === null
    if (handshake) {
      socket.setTimeout(HANDSHAKE_MS)
      socket.write(handshake.hello)
    }

    async function take(bytes: Buffer): Promise<void> {
      const messages: ForwardMessage[] = []
      for (const value of values.push(bytes)) {
        if (!isKnown) {
          if (!introduce(value)) return
          continue
        }
        const message = await readForward(value)
        if (message) messages.push(message)
      }
      for (const chunk of await keep(messages)) socket.write(pack({ ack: chunk }))
    }

    function introduce(ping: Buffer): boolean {
      const { refusal = null, pong } = handshake?.answer(ping) ?? {}
      if (pong) socket.write(pong)
      isKnown = refusal === null
      if (isKnown) {
        socket.setTimeout(IDLE_MS)
        return true
      }
      refused.value++
      if (performance.now() >= warnAfterMs) {
        warnAfterMs = performance.now() + WARN_EVERY_MS
        log.warn({ reason: refusal, from: socket.remoteAddress }, 'a sender of the forward protocol was not let in')
      }
      // Said, and heard no more.
      socket.end(() => socket.destroy())
      return false
    }

    socket.on('data', (bytes: Buffer) => {
      socket.pause()
      const work = take(bytes)
        .then(() => void socket.resume())
        .catch((error: unknown) => {
          refused.value++
          log.warn({ err: error }, 'a connection of the forward protocol was closed')
          socket.destroy()
        })
        .finally(() => working.delete(work))
      working.add(work)
    })
    socket.on('end', () => socket.end())
    socket.on('close', share.release)
  }

  const connections = createConnections({
    max: MAX_CONNECTIONS,
    idleMs: IDLE_MS,
    serve,
    onTooMany: () => void refused.value++,
  })
  metrics.gauge('millrace_forward_connections', 'Open connections of forward senders', () => connections.count)

  return {
    async start() {
      const places: string[] = []
      if (port !== null) {
        const open = await connections.listen(createServer(HALF_OPEN), host, port, 'MILLRACE_FORWARD_PORT')
        places.push(`forward://${host}:${open}`)
      }
      if (tls) {
        const server = await secureServer(tls, 'MILLRACE_FORWARD', HALF_OPEN)
        const open = await connections.listen(server, host, tls.port, 'MILLRACE_FORWARD_TLS_PORT')
        places.push(`forward+tls://${host}:${open}`)
      }
      return places.join(' ')
    },
    async stop() {
      // Those who wait for an acknowledgement should get it.
      await Promise.all(working)
      await connections.close()
    },
    health: () => ({ connections: connections.count, received: received.value, refused: refused.value }),
  }
}

function bySource(messages: ForwardMessage[], settings: ForwardSettings): Map<string | null, ForwardMessage[]> {
  const groups = new Map<string | null, ForwardMessage[]>()
  for (const message of messages) {
    const source = sourceOfTag(message.tag, settings)
    const group = groups.get(source)
    if (group) group.push(message)
    else groups.set(source, [message])
  }
  return groups
}

export function sourceOfTag(tag: string, { tagSources, source }: Pick<ForwardSettings, 'tagSources' | 'source'>) {
  const fits = (pattern: string): boolean =>
    pattern.endsWith('*') ? tag.startsWith(pattern.slice(0, -1)) : tag === pattern
  return tagSources.find(([pattern]) => fits(pattern))?.[1] ?? source
}
