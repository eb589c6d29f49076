/**
 * A lane takes a request before the router does: plain Node, for the one route where the cost of a request is the cost
 * of the service. The framework spends more on a request of one event (hooks, route look-up, reply object) than reading
 * and storing that event takes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers whether the request was its own. */
export type Lane = (request: IncomingMessage, response: ServerResponse) => boolean
