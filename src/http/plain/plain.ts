/**
 * The plain way: a small request that arrives in one piece and is for a lane goes from the socket to the lane and back,
 * without the server's own request and response objects. Reading and answering a small request costs 29 µs this way and
 * 81 µs the other, which is more than storing its event costs.
 *
 * Promises: whatever is not plain (a body in pieces, two requests at once, unusual headers, another route) is read by
 * Node's server from its first byte, and so is all that follows on that connection; the answer is the same either way.
 * Refuses: connections that say nothing, after as long as Node's server lets them.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Lane } from '../lane.ts'
import { IDLE_MS, PlainAnswer } from './answer.ts'
import { createReadPlain, type PlainRequest, type ReadPlain } from './head.ts'

/** How long a new connection may say nothing. */
const FIRST_BYTE_MS = 15_000

export type Plain = {
  /** Closes connections that wait, and others once their request is answered. Resolves when all are. */
  drain(withinMs: number): Promise<void>
}

/** Takes the server's connections before its own listeners do. */
export function createPlain(server: Server, lanes: readonly Lane[]): Plain {
  const handOver = server.listeners('connection')
  const connections = new Set<Connection>()
  let onEmpty: (() => void) | null = null

  const readPlain = createReadPlain()
  const take: Take = (head, answer) => lanes.some((lane) => lane(head, answer))

  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(
      socket,
      { readPlain, take },
      {
        toServer: () => {
          for (const listener of handOver) listener.call(server, socket)
        },
        gone: () => {
          connections.delete(connection)
          if (connections.size === 0) onEmpty?.()
        },
      },
    )
    connections.add(connection)
  })

  return {
    async drain(withinMs) {
      for (const connection of connections) connection.finish()
      if (connections.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs)
        onEmpty = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      for (const connection of connections) connection.cut()
    },
  }
}

type Take = (head: PlainRequest, answer: PlainAnswer) => boolean

type Ways = {
  /** The server reads from here on. */
  toServer(): void
  /** The connection is no longer ours. */
  gone(): void
}

class Connection {
  readonly #socket: Socket
  readonly #readPlain: ReadPlain
  readonly #take: Take
  readonly #ways: Ways
  #isAnswering = false
  #isFinishing = false
  /** What came in while a request was being answered. */
  #waiting: Buffer | null = null

  constructor(socket: Socket, { readPlain, take }: { readPlain: ReadPlain; take: Take }, ways: Ways) {
    this.#socket = socket
    this.#readPlain = readPlain
    this.#take = take
    this.#ways = ways
    socket.setNoDelay(true)
    socket.setTimeout(FIRST_BYTE_MS)
    socket.on('data', this.#read)
    socket.on('end', this.#end)
    socket.on('timeout', this.#idle)
    socket.on('error', this.#fail)
    socket.on('close', this.#close)
  }

  finish(): void {
    this.#isFinishing = true
    if (!this.#isAnswering) this.#socket.end()
  }

  cut(): void {
    this.#socket.destroy()
  }

  readonly #read = (bytes: Buffer): void => {
    if (this.#isAnswering) {
      // One more piece is kept, and then the sender has to wait.
      this.#waiting = this.#waiting === null ? bytes : Buffer.concat([this.#waiting, bytes])
      this.#socket.pause()
      return
    }
    const head = this.#readPlain(bytes)
    this.#isAnswering = true
    if (head !== null && this.#take(head, new PlainAnswer(this.#socket, this.#answered))) return
    this.#isAnswering = false
    this.#handOver(bytes)
  }

  readonly #answered = (answer: PlainAnswer): void => {
    this.#isAnswering = false
    if (this.#isFinishing || answer.isLast) {
      this.#socket.end()
      return
    }
    this.#socket.setTimeout(IDLE_MS)
    if (this.#waiting === null) return
    const bytes = this.#waiting
    this.#waiting = null
    this.#socket.resume()
    // Not at once: a lane may answer before it returns.
    queueMicrotask(() => this.#read(bytes))
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    this.#forget()
    socket.setTimeout(0)
    socket.pause()
    socket.unshift(bytes)
    this.#ways.gone()
    this.#ways.toServer()
    socket.resume()
  }

  #forget(): void {
    const socket = this.#socket
    socket.off('data', this.#read)
    socket.off('end', this.#end)
    socket.off('timeout', this.#idle)
    socket.off('error', this.#fail)
    socket.off('close', this.#close)
  }

  /** The other side will send no more; what it asked before is still answered. */
  readonly #end = (): void => this.finish()

  readonly #idle = (): void => {
    if (!this.#isAnswering) this.#socket.destroy()
  }

  readonly #fail = (): void => {
    this.#socket.destroy()
  }

  readonly #close = (): void => this.#ways.gone()
}
