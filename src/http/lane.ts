/**
 * A lane takes a request before the router does: plain Node, for the one route where the cost of a request is the cost
 * of the service. The framework spends more on a request of one event (hooks, route look-up, reply object) than reading
 * and storing that event takes.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** Answers whether the request was its own. */
export type Lane = (request: LaneRequest, response: LaneResponse) => boolean

/** What lanes need of a request: one of Node's server, or a plain one, whose body is there already. */
export type LaneRequest = {
  method?: string | undefined
  url?: string | undefined
  headers: IncomingHttpHeaders
} & ({ body: Buffer } | Readable)

/** What lanes need of an answer. */
export type LaneResponse = {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  setHeader(name: string, value: string | number): unknown
  removeHeader(name: string): void
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(data?: string | Uint8Array, encoding?: BufferEncoding): unknown
}
