/**
 * One connection to a syslog receiver, opened when it is needed and closed after a minute without use.
 *
 * Syslog over TCP has no answers. A batch counts as taken when the system has taken all of it and the connection still
 * stands a moment later; a receiver that closes or resets in that moment did not take it.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { assertAllowed, guardedLookup } from '../address.ts'
import type { SyslogOptions } from './options.ts'

const IDLE_MS = 60_000
const SETTLE_MS = 50

export type Connection = { write(bytes: Buffer): Promise<void>; open(): Promise<void>; stop(): void }

export function createConnection(options: SyslogOptions, timeoutMs: number): Connection {
  let current: Promise<Socket> | null = null
  let stopped = false

  async function connect(): Promise<Socket> {
    const socket = await dial(options, timeoutMs)
    socket.setNoDelay(true).setTimeout(IDLE_MS, () => socket.destroy())
    // Receivers say nothing; reading is how their goodbye is noticed.
    socket.on('error', () => {}).resume()
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
      await socketNow()
    },
    async write(bytes) {
      const socket = await socketNow()
      const ended = new AbortController()
      try {
        await Promise.race([
          written(socket, bytes).then(() => wait(SETTLE_MS, undefined, { signal: ended.signal })),
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
    },
    stop() {
      stopped = true
      current?.then(
        (socket) => socket.destroy(),
        () => {},
      )
    },
  }
}

function dial(options: SyslogOptions, timeoutMs: number): Promise<Socket> {
  const { host, port, tls, ca_cert, client_cert, client_key } = options
  return new Promise((resolve, reject) => {
    assertAllowed(host)
    const place = { host, port, lookup: guardedLookup }
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
    const onClose = (): void => reject(new Error('the receiver closed the connection'))
    if (socket.destroyed) onClose()
    socket.once('close', onClose)
    signal.addEventListener('abort', () => socket.off('close', onClose))
  })
}
