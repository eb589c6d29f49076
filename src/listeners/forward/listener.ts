/**
 * Fluent's forward protocol over TCP, for Fluentd, Fluent Bit and the libraries that speak it.
 *
 * Promises: a chunk is acknowledged once its events are durable; a connection is read only as fast as its events are
 * stored. With a shared key nobody is heard who does not know it.
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
import type { Store } from '../store.ts'
import { createHandshake } from './handshake.ts'
import { IDLE_MS, MAX_CHUNK_LENGTH, MAX_CONNECTIONS, MAX_HELD_BYTES } from './limits.ts'
import { pack } from './pack.ts'
import { createValues } from './values.ts'

export type ForwardSettings = {
  host: string
  /** 0: any that is free. */
  port: number
  token: string
  /** Of events whose tag has none; name or token. */
  source: string | null
  /** Tags, or beginnings of tags that end in `*`, and their sources; the first that fits counts. */
  tagSources: [string, string][]
  sharedKey: string | null
}

export type ForwardHealth = { connections: number; received: number; refused: number }

type Parts = {
  settings: ForwardSettings
  store: Store
  metrics: Metrics
  log: { warn(details: object, text: string): void }
}

export function createForwardListener({
  settings,
  store,
  metrics,
  log,
}: Parts): Listener & { health(): ForwardHealth } {
  const { host, port, token, sharedKey } = settings
  const received = metrics.counter('millrace_forward_received_total', 'Events received by the forward protocol')
  const refused = metrics.counter(
    'millrace_forward_refused_total',
    'Events and connections of the forward protocol that were not taken',
  )
  const budget = createBudget(MAX_HELD_BYTES)
  const working = new Set<Promise<void>>()

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
    const values = createValues({ hold: share.hold })
    const handshake = sharedKey === null ? null : createHandshake({ sharedKey, hostname: hostname() })
    let isKnown = handshake === null
    if (handshake) socket.write(handshake.hello)

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
      const { isWelcome = true, pong } = handshake?.answer(ping) ?? {}
      if (pong) socket.write(pong)
      isKnown = isWelcome
      if (isWelcome) return true
      refused.value++
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
      const server = createServer({ allowHalfOpen: true })
      return `forward://${host}:${await connections.listen(server, host, port, 'MILLRACE_FORWARD_PORT')}`
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
