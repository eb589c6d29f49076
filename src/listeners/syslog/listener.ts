/**
 * Syslog over TCP, TLS and UDP (RFC 5424 and RFC 3164, framed by length or by line).
 *
 * Promises: a message counts as accepted once it is durable; a connection whose messages cannot be stored now is not
 * read, so its sender keeps them; a datagram that cannot be stored is counted as shed.
 * Refuses: messages over 64 kB and what is no syslog, both recorded with the source's rejected events; messages whose
 * token or source is unknown, which are counted, with a line in the log.
 */
import { createServer, type Socket } from 'node:net'
import { Fault } from '../../base/faults.ts'
import type { Metrics } from '../../base/metrics.ts'
import { createSyslogMessages, type Messages } from '../../ingest/formats/syslog/messages.ts'
import { createConnections } from '../connections.ts'
import type { Listener } from '../listener.ts'
import { secureServer, type TlsSettings } from '../secure-server.ts'
import type { Store } from '../store.ts'
import { type Address, byAddress } from './address.ts'
import { createDatagrams } from './datagrams.ts'
import { createFrames } from './frames.ts'
import { createGather } from './gather.ts'
import { IDLE_MS, MAX_CONNECTIONS } from './limits.ts'

export type SyslogSettings = Address & {
  host: string
  /** TCP and UDP; null: neither. 0: any that is free. */
  port: number | null
  tls: TlsSettings | null
}

export type SyslogHealth = { connections: number; received: number; refused: number; shed: number; lost: number }

type Parts = {
  settings: SyslogSettings
  store: Store
  metrics: Metrics
  log: { warn(details: object, text: string): void }
}

const WARN_EVERY_MS = 10_000

export function createSyslogListener({ settings, store, metrics, log }: Parts): Listener & { health(): SyslogHealth } {
  const { host, port, tls, token, source } = settings
  const received = metrics.counter('millrace_syslog_received_total', 'Syslog messages received over TCP and TLS')
  const refused = metrics.counter(
    'millrace_syslog_refused_total',
    'Syslog messages and connections that were not taken: no syslog, too long, unknown token or source, too many',
  )
  let warnAfterMs = 0

  async function take(messages: Messages): Promise<void> {
    await Promise.all(
      byAddress(messages, { token, source }).map(async ({ address, messages: { bytes, ends, refused: bad } }) => {
        try {
          const format = createSyslogMessages(bad ? { ends, refused: bad } : { ends })
          const { refusedCount } = await store.keep({ ...address, format, body: bytes })
          refused.value += refusedCount
        } catch (error) {
          refused.value += ends.length
          warn(error, ends.length)
        }
      }),
    )
  }

  /** A sender with a wrong token sends on and on; the log should not. */
  function warn(error: unknown, count: number): void {
    if (performance.now() < warnAfterMs) return
    warnAfterMs = performance.now() + WARN_EVERY_MS
    const reason = error instanceof Fault ? error.message : undefined
    log.warn({ err: error, reason, count }, 'syslog messages were not stored')
  }

  const waiting = new Set<Socket>()
  const gather = createGather({
    take,
    onRoom() {
      for (const socket of waiting) socket.resume()
      waiting.clear()
    },
  })

  function serve(socket: Socket): void {
    const frames = createFrames({
      onMessage(bytes, from, to) {
        received.value++
        gather.add(bytes, from, to)
      },
      onRefused(bytes, from, to, reason) {
        received.value++
        gather.add(bytes, from, to, reason)
      },
    })
    socket.on('data', (bytes: Buffer) => {
      if (!frames.push(bytes)) socket.destroy()
      else if (gather.isFull) {
        socket.pause()
        waiting.add(socket)
      }
    })
    socket.on('end', () => frames.end())
    socket.on('close', () => waiting.delete(socket))
  }

  const connections = createConnections({
    max: MAX_CONNECTIONS,
    idleMs: IDLE_MS,
    serve,
    onTooMany: () => void refused.value++,
  })
  const datagrams = createDatagrams({
    take,
    onError: (error) => log.warn({ err: error }, 'syslog over UDP failed'),
  })
  metrics.gauge('millrace_syslog_connections', 'Open connections of syslog senders', () => connections.count)
  metrics.total('millrace_syslog_datagrams_total', 'Syslog messages received over UDP', () => datagrams.received)
  metrics.total(
    'millrace_syslog_shed_total',
    'Syslog messages over UDP that were given up because too many waited',
    () => datagrams.shed,
  )
  metrics.total(
    'millrace_syslog_lost_total',
    'Datagrams for which the receive buffer of the system had no room',
    datagrams.lost,
  )

  return {
    async start() {
      const places: string[] = []
      if (port !== null) {
        const open = await connections.listen(createServer(), host, port, 'MILLRACE_SYSLOG_PORT')
        await datagrams.start(host, open)
        places.push(`tcp+udp://${host}:${open}`)
      }
      if (tls) {
        const server = await secureServer(tls, 'MILLRACE_SYSLOG')
        const open = await connections.listen(server, host, tls.port, 'MILLRACE_SYSLOG_TLS_PORT')
        places.push(`tls://${host}:${open}`)
      }
      return places.join(' ')
    },
    async stop() {
      await Promise.all([connections.close(), datagrams.stop()])
      await gather.settle()
    },
    health: () => ({
      connections: connections.count,
      received: received.value + datagrams.received,
      refused: refused.value,
      shed: datagrams.shed,
      lost: datagrams.lost(),
    }),
  }
}
