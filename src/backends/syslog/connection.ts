/**
 * One connection to a syslog receiver, opened when it is needed and closed after a minute without use.
 *
 * Syslog over TCP has no answers. A batch counts as taken when the system has taken all of it and the connection still
 * stands a moment later; a receiver that closes or resets in that moment did not take it. Batches that are written while
 * others wait for that moment go down the same connection, in order, and fail together with it.
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { assertAllowed, guardedLookup } from '../address.ts'
import type { Surroundings } from '../kind.ts'
import type { SyslogOptions } from './options.ts'

const IDLE_MS = 60_000
const SETTLE_MS = 50
/** Nobody waits long for a test, so it may look longer. */
const OPEN_SETTLE_MS = 250

export type Connection = {
  write(bytes: Buffer): Promise<void>
  /** Resolves when a connection stands, and still does a moment later: some refusals come after the handshake. */
  open(): Promise<void>
  stop(): void
}

export function createConnection(
  options: SyslogOptions,
  { timeoutMs, lookup = guardedLookup }: Surroundings,
): Connection {
  let current: Promise<Socket> | null = null
  let stopped = false

  async function connect(): Promise<Socket> {
    const socket = await dial(options, timeoutMs, lookup)
    socket.setNoDelay(true).setTimeout(IDLE_MS, () => socket.destroy())
    // Receivers say nothing; reading is how their goodbye is noticed.
    socket.on('error', (error) => reasons.set(socket, error)).resume()
    socket.once('close', () => {
      current = null
    })
    socket.once('end', () => socket.destroy())
    if (stopped) socket.destroy()
    return socket
  }

  function socketNow(): Promise<Socket> {
    current ??= connect().catch((error: unknown) => {
      current = null
      throw error
    })
    return current
  }

  return {
    async open() {
      await settled(await socketNow(), OPEN_SETTLE_MS, async () => {})
    },
    async write(bytes) {
      const socket = await socketNow()
      await settled(socket, SETTLE_MS, () => written(socket, bytes))
    },
    stop() {
      stopped = true
      current?.then(
        (socket) => socket.destroy(),
        () => {},
      )
    },
  }

  async function settled(socket: Socket, settleMs: number, work: () => Promise<void>): Promise<void> {
    const ended = new AbortController()
    try {
      await Promise.race([
        work().then(() => wait(settleMs, undefined, { signal: ended.signal })),
        closed(socket, ended.signal),
        wait(timeoutMs, undefined, { signal: ended.signal, ref: false }).then(() => {
          throw new Error(`the receiver did not take the batch within ${timeoutMs} ms`)
        }),
      ])
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      ended.abort()
    }
  }
}

/** Why sockets closed, where the system or the other side said so. */
const reasons = new WeakMap<Socket, Error>()

function dial(options: SyslogOptions, timeoutMs: number, lookup: LookupFunction): Promise<Socket> {
  const { host, port, tls, ca_cert, client_cert, client_key } = options
  return new Promise((resolve, reject) => {
    assertAllowed(host)
    const place = { host, port, lookup }
    const socket = tls
      ? connectTls({
          ...place,
          // A server name may not be an address.
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(ca_cert === undefined ? {} : { ca: ca_cert }),
          ...(client_cert === undefined || client_key === undefined ? {} : { cert: client_cert, key: client_key }),
        })
      : connectTcp(place)
    const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)), timeoutMs)
    const fail = (error?: Error): void => {
      clearTimeout(timer)
      reject(error ?? new Error('the receiver closed the connection'))
    }
    socket.once('error', fail)
    socket.once('close', () => fail())
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      resolve(socket)
    })
  })
}

const written = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()))
  })

/** Rejects when the connection ends first. */
function closed(socket: Socket, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onClose = (): void => reject(reasons.get(socket) ?? new Error('the receiver closed the connection'))
    if (socket.destroyed) onClose()
    socket.once('close', onClose)
    signal.addEventListener('abort', () => socket.off('close', onClose))
  })
}
