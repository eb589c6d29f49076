import type { AddressInfo, Server, Socket } from 'node:net'
import { listenFault } from './listen-fault.ts'

export type Connections = {
  /** Answers the port. */
  listen(server: Server, host: string, port: number, setting: string): Promise<number>
  readonly count: number
  /** Takes no more, and cuts off those that are open. */
  close(): Promise<void>
}

type Parts = {
  max: number
  idleMs: number
  serve(socket: Socket): void
  /** A connection beyond the limit was closed. */
  onTooMany(): void
}

/** The open connections of a listener, over all its servers: how many, how long they may be silent, and their end. */
export function createConnections({ max, idleMs, serve, onTooMany }: Parts): Connections {
  const sockets = new Set<Socket>()
  const servers: Server[] = []

  function welcome(socket: Socket): void {
    // A connection that breaks says so by closing; there is nothing to do about it.
    socket.on('error', () => {})
    if (sockets.size >= max) {
      onTooMany()
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.setKeepAlive(true, 60_000)
    serve(socket)
  }

  return {
    async listen(server, host, port, setting) {
      // The event of a TLS server comes when the handshake is done.
      server.on('listening' in server && 'setSecureContext' in server ? 'secureConnection' : 'connection', welcome)
      await new Promise<void>((resolve, reject) => {
        const fail = (error: NodeJS.ErrnoException): void =>
          reject(listenFault(error.code ?? error.message, host, port, setting))
        server.once('error', fail)
        server.listen({ host, port }, () => {
          server.off('error', fail)
          resolve()
        })
      })
      servers.push(server)
      return addressOf(server).port
    },
    get count() {
      return sockets.size
    },
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  return address
}
