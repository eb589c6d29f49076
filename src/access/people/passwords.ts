/**
 * Passwords, hashed with scrypt. The parameters stand in the stored text, so they can be raised later and older hashes
 * still be compared.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../base/faults.ts'

type Cost = { N: number; r: number; p: number }

/** 32 MB and about a quarter of a second. */
const COST: Cost = { N: 32_768, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const WAITING_MAX = 50

const STORED = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/

export type Passwords = {
  hash(password: string): Promise<string>
  /** Takes as long when nothing is stored, so that time does not tell who has a password here. */
  verify(password: string, stored: string | null): Promise<boolean>
}

/**
 * One at a time: hashes take threads of the pool that the journal's disk writes need too, and a storm of log-ins must
 * not slow ingest. Throws `busy` when too many wait.
 */
export function createPasswords(cost: Cost = COST): Passwords {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= WAITING_MAX) throw new Fault('busy', 'Too many people are logging in. Try again in a few seconds.')
    waiting++
    const turn = last.then(work).finally(() => {
      waiting--
    })
    last = turn.catch(() => {})
    return turn
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      const hash = await inTurn(() => derive(password, salt, HASH_BYTES, cost))
      return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
    },

    async verify(password, stored) {
      const [, N, r, p, salt, hash] = STORED.exec(stored ?? '') ?? []
      const isStored = salt !== undefined && hash !== undefined
      const expected = isStored ? Buffer.from(hash, 'base64url') : randomBytes(HASH_BYTES)
      const found = await inTurn(() =>
        isStored
          ? derive(password, Buffer.from(salt, 'base64url'), expected.length, {
              N: Number(N),
              r: Number(r),
              p: Number(p),
            })
          : derive(password, randomBytes(SALT_BYTES), HASH_BYTES, cost),
      )
      return timingSafeEqual(found, expected) && isStored
    },
  }
}

/** The same password may be typed in composed or decomposed form; they are one. */
function derive(password: string, salt: Buffer, bytes: number, { N, r, p }: Cost): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(password.normalize('NFKC'), salt, bytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) =>
    error ? reject(error) : resolve(hash),
  )
  return promise
}
