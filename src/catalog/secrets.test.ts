import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSecrets, loadSecretKey, parseSecretKey } from './secrets.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-secrets-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a sealed text opens only unchanged, in its place and with its key', () => {
  const secrets = createSecrets(Buffer.alloc(32, 1))
  const sealed = secrets.seal('höchst geheim', 'source:1')
  expect(sealed).not.toBe(secrets.seal('höchst geheim', 'source:1'))
  expect(secrets.open(sealed, 'source:1')).toBe('höchst geheim')
  expect(() => secrets.open(sealed, 'source:2')).toThrow('cannot be opened')
  expect(() => secrets.open(`${sealed.slice(0, -6)}AAAAA=`, 'source:1')).toThrow('cannot be opened')
  expect(() => createSecrets(Buffer.alloc(32, 2)).open(sealed, 'source:1')).toThrow('cannot be opened')
})

test('a key is 32 bytes as hex or base64, anything else is a clear set-up fault', () => {
  const key = Buffer.alloc(32, 200)
  expect(parseSecretKey(key.toString('hex'))).toEqual(key)
  expect(parseSecretKey(` ${key.toString('base64')}\n`)).toEqual(key)
  expect(() => parseSecretKey('short')).toThrow('must be 32 bytes')
})

test('the key file is made once, for its owner only, also when processes start together', async () => {
  const file = join(folder, 'data', 'secret.key')
  const [first, second] = await Promise.all([loadSecretKey(file), loadSecretKey(file)])
  expect(first).toEqual(second)
  expect(await loadSecretKey(file)).toEqual(first)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toEqual(first)
})

test('a damaged key file is not replaced', async () => {
  const file = join(folder, 'secret.key')
  await writeFile(file, 'oops')
  await expect(loadSecretKey(file)).rejects.toThrow('does not hold a 32-byte key')
  expect(await readFile(file, 'utf8')).toBe('oops')
})
