import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { asText, PackedReader } from '../../ingest/formats/forward/msgpack.ts'
import { pack } from './pack.ts'

const MAX_PING_BYTES = 4_096

export type Handshake = {
  /** What the receiver says first. */
  readonly hello: Buffer
  /** Reads the sender's proof that it knows the key. */
  answer(ping: Buffer): { isWelcome: boolean; pong: Buffer }
}

/**
 * The sender proves that it knows the shared key, and the receiver that it knows it too; neither says it. User names and
 * passwords are not asked for.
 */
export function createHandshake({ sharedKey, hostname }: { sharedKey: string; hostname: string }): Handshake {
  const nonce = randomBytes(16)
  const digest = (salt: Buffer, name: string): string =>
    createHash('sha512').update(salt).update(name).update(nonce).update(sharedKey).digest('hex')

  return {
    hello: pack(['HELO', { nonce, auth: '', keepalive: true }]),
    answer(packed) {
      const ping = new PackedReader(packed).readUpTo(MAX_PING_BYTES)?.value
      if (!Array.isArray(ping) || ping.length < 4 || asText(ping[0]!) !== 'PING')
        return refusal('a PING with the shared key must come first')
      const name = asText(ping[1]!)
      const salt = ping[2] instanceof Buffer ? ping[2] : Buffer.from(asText(ping[2]!))
      if (!isSame(asText(ping[3]!), digest(salt, name))) return refusal('the shared key is another')
      return { isWelcome: true, pong: pack(['PONG', true, '', hostname, digest(salt, hostname)]) }
    },
  }
}

const refusal = (reason: string) => ({ isWelcome: false, pong: pack(['PONG', false, reason, '', '']) })

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
