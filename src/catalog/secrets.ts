/**
 * Seals what must not be readable on disk: AES-256-GCM, a fresh 12-byte nonce each time, the place it belongs to as
 * associated data, so a sealed text cannot be moved to another record.
 * Sealed text is `v1.` + base64(nonce ‖ tag ‖ ciphertext).
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Fault } from '../base/faults.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1.'

export type Secrets = {
  seal(text: string, place: string): string
  open(sealed: string, place: string): string
}

export function createSecrets(key: Buffer): Secrets {
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed, place) {
      try {
        const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
        decipher.setAAD(Buffer.from(place))
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new Fault(
          'setup',
          'A stored secret cannot be opened: MILLRACE_SECRET_KEY or secret.key is not the key it was sealed with.',
          error,
        )
      }
    },
  }
}

/** The key of the deployment's settings: 32 bytes as base64 or hex. */
export function parseSecretKey(text: string): Buffer {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64')
  if (key.length !== KEY_BYTES) {
    throw new Fault('setup', 'MILLRACE_SECRET_KEY must be 32 bytes as base64 or hex. Make one: openssl rand -base64 32')
  }
  return key
}

/**
 * The key kept in a file only its owner may read, made on first start. Two processes that start together end with
 * the same key: the file appears whole or not at all, and the first one stays.
 */
export async function loadSecretKey(file: string): Promise<Buffer> {
  const stored = await readKeyFile(file)
  if (stored) return stored
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  const made = await readKeyFile(file)
  if (!made) throw new Fault('setup', `The secret key could not be written to ${file}.`)
  return made
}

async function readKeyFile(file: string): Promise<Buffer | null> {
  try {
    const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
    if (key.length === KEY_BYTES) return key
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  throw new Fault('setup', `${file} does not hold a 32-byte key. Restore it; without it stored secrets are lost.`)
}
