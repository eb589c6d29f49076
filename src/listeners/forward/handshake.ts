import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { asText, type Packed, PackedReader } from '../../ingest/formats/forward/msgpack.ts'
import { pack } from './pack.ts'

const MAX_PING_BYTES = 4_096

export type Handshake = {
  /** What the receiver says first. */
  readonly hello: Buffer
  /** Reads the sender's proof that it knows the key, and a password where there are users. */
  answer(ping: Buffer): { refusal: string | null; pong: Buffer }
}

type Parts = {
  sharedKey: string
  /** Names and passwords; none: nobody is asked for them. */
  users: readonly (readonly [string, string])[]
  hostname: string
}

/** The sender proves that it knows the shared key and a password, and the receiver that it knows the key too; neither says them. */
export function createHandshake({ sharedKey, users, hostname }: Parts): Handshake {
  const nonce = randomBytes(16)
  const salt = users.length > 0 ? randomBytes(16) : null
  const keyDigest = (salt: Buffer | string, name: string): string => digest(salt, name, nonce, sharedKey)

  function hasPassword(name: string, proof: string): boolean {
    if (salt === null) return true
    const known = users.find(([user]) => user === name)
    // An unknown name takes as long as a wrong password.
    return isSame(proof, digest(salt, name, known?.[1] ?? '')) && known !== undefined
  }

  return {
    hello: pack(['HELO', { nonce, auth: salt ?? '', keepalive: true }]),
    answer(packed) {
      const ping = new PackedReader(packed).readUpTo(MAX_PING_BYTES)?.value
      if (!Array.isArray(ping) || ping.length < 4 || asText(ping[0]!) !== 'PING')
        return refused('a PING with the shared key must come first')
      const [, name, keySalt, proof, user, password] = ping
      const theirSalt = keySalt instanceof Buffer ? keySalt : textOf(keySalt)
      if (!isSame(textOf(proof), keyDigest(theirSalt, textOf(name)))) return refused('the shared key is another')
      if (!hasPassword(textOf(user), textOf(password))) return refused('the user name or the password is wrong')
      return { refusal: null, pong: pack(['PONG', true, '', hostname, keyDigest(theirSalt, hostname)]) }
    },
  }
}

const refused = (reason: string) => ({ refusal: reason, pong: pack(['PONG', false, reason, '', '']) })

const textOf = (value: Packed | undefined): string => (value === undefined ? '' : asText(value))

function digest(...parts: (Buffer | string)[]): string {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
