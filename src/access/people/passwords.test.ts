import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

const cheap = { N: 1024, r: 8, p: 1 }

test('a password is known again, in every written form of the same letters, and no other is', async () => {
  const passwords = createPasswords(cheap)
  const stored = await passwords.hash('caf\u00e9 au lait')
  expect(stored).not.toContain('caf')
  expect(await passwords.verify('caf\u00e9 au lait', stored)).toBe(true)
  expect(await passwords.verify('cafe\u0301 au lait', stored)).toBe(true)
  expect(await passwords.verify('cafe au lait', stored)).toBe(false)
  expect(await passwords.hash('caf\u00e9 au lait')).not.toBe(stored)
})

test('hashes made with other parameters stay valid', async () => {
  const stored = await createPasswords({ N: 2048, r: 4, p: 2 }).hash('an old password')
  expect(stored).toMatch(/^scrypt\$2048\$4\$2\$/)
  expect(await createPasswords(cheap).verify('an old password', stored)).toBe(true)
})

test.each([null, '', 'scrypt$', 'plain text'])('nothing is the password where %j is stored', async (stored) => {
  expect(await createPasswords(cheap).verify('', stored)).toBe(false)
  expect(await createPasswords(cheap).verify(stored ?? 'null', stored)).toBe(false)
})

test('a try at somebody unknown costs its turn like every other, and too many at once are refused', async () => {
  const passwords = createPasswords(cheap)
  const tries = Array.from({ length: 51 }, () => passwords.verify('guess', null))
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
  expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'busy' } })
  expect(await passwords.verify('guess', null)).toBe(false)
})
