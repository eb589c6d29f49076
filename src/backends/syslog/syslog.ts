/** A syslog receiver (RFC 5424) over TCP or TLS. */
import { defineKind, failed } from '../kind.ts'
import { explain, needsHelp } from '../reason.ts'
import { createConnection } from './connection.ts'
import { encode } from './encode.ts'
import { Options } from './options.ts'

const PROBE_MS = 3_000

export const syslog = defineKind({
  type: 'syslog',
  options: Options,
  secrets: ['ca_cert', 'client_cert', 'client_key', 'cipher_key'],
  /** Those under way share one connection, which keeps their order. */
  batch: { events: 2_000, bytes: 1_000_000, inFlight: 4 },
  connect(config, surroundings) {
    const connection = createConnection(config, surroundings)
    return {
      async send({ events }) {
        let frames: Buffer
        try {
          frames = encode(events, config)
        } catch (error) {
          return { kind: 'refused', reason: `cannot be written as syslog: ${String(error)}` }
        }
        try {
          await connection.write(frames)
          return { kind: 'accepted' }
        } catch (error) {
          return failed(explain(error), needsHelp(error))
        }
      },
      async probe() {
        const probed = createConnection(config, { ...surroundings, timeoutMs: PROBE_MS })
        try {
          await probed.open()
          return { ok: true }
        } catch (error) {
          return { ok: false, reason: probeReason(error), message: explain(error) }
        } finally {
          probed.stop()
        }
      },
      stop: () => connection.stop(),
    }
  },
})

function probeReason(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (message.startsWith('no connection within')) return 'timeout'
  return message.startsWith('the receiver closed') ? 'socket_closed' : 'unknown_error'
}
