import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { LaneResponse } from '../lane.ts'

/** The answer to a plain request, written in one piece. */
export class PlainAnswer implements LaneResponse {
  statusCode = 200
  headersSent = false
  readonly #headers: Record<string, string | number> = {}
  readonly #socket: Socket
  readonly #onSent: (answer: PlainAnswer) => void

  constructor(socket: Socket, onSent: (answer: PlainAnswer) => void) {
    this.#socket = socket
    this.#onSent = onSent
  }

  get destroyed(): boolean {
    return this.#socket.destroyed
  }

  /** Whether this is the last answer of the connection. */
  get isLast(): boolean {
    return this.#headers.connection === 'close'
  }

  setHeader(name: string, value: string | number): this {
    const key = name.toLowerCase()
    validateHeaderName(key)
    if (typeof value === 'string') validateHeaderValue(key, value)
    this.#headers[key] = value
    return this
  }

  removeHeader(name: string): void {
    delete this.#headers[name.toLowerCase()]
  }

  writeHead(status: number, headers: Record<string, string | number>): this {
    this.statusCode = status
    for (const name in headers) this.setHeader(name, headers[name]!)
    return this
  }

  end(data: string | Uint8Array = '', encoding: BufferEncoding = 'utf8'): this {
    if (this.headersSent) return this
    this.headersSent = true
    const headers = this.#headers
    if (this.statusCode !== 204)
      headers['content-length'] ??= typeof data === 'string' ? Buffer.byteLength(data, encoding) : data.length
    let head = `HTTP/1.1 ${this.statusCode} ${STATUS_CODES[this.statusCode]}\r\n`
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`
    head += `date: ${now()}\r\n${this.isLast ? '' : KEEP_ALIVE}\r\n`
    const socket = this.#socket
    if (typeof data === 'string') socket.write(head + data, encoding)
    else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(data)
      socket.uncork()
    }
    this.#onSent(this)
    return this
  }
}

/** Longer than the idle time of the usual load balancers, so that they, not we, close an idle connection. */
export const IDLE_MS = 75_000
const KEEP_ALIVE = `connection: keep-alive\r\nkeep-alive: timeout=${IDLE_MS / 1000}\r\n`

let second = 0
let text = ''

/** The date of an answer has seconds; it is printed once in each. */
function now(): string {
  const current = Math.floor(Date.now() / 1000)
  if (current !== second) {
    second = current
    text = new Date(current * 1000).toUTCString()
  }
  return text
}
