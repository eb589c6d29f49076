import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Stream } from '../tail/tail.ts'

/**
 * The stream has no length and no chunks: it lasts as long as the connection, and its bytes go straight to the socket.
 * Measured with 200 readers: 10 to 20 µs a write, against 40 to 48 µs through the response and its chunks.
 */
export function openStream(reply: FastifyReply): Stream {
  reply.hijack()
  const response: ServerResponse = reply.raw
  response.on('error', () => {})
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, {
    'x-request-id': reply.request.id,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Asks nginx and its kin not to collect the stream.
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  response.flushHeaders()
  return {
    write(bytes) {
      // A request that was sent behind another on its connection has no socket before that one is answered.
      const target = response.socket ?? response
      if (target.writable) target.write(bytes)
    },
    get queuedBytes() {
      return response.writableLength
    },
    end() {
      response.end()
    },
    destroy() {
      response.destroy()
    },
  }
}
