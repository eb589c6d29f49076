import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { openCatalog } from '../../catalog/catalog.ts'
import { createPasswords } from './passwords.ts'
import { resetPassword } from './resets.ts'

test('the operator sets a password: it is known from then on, and sessions and links from before are dead', async () => {
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  const user = await catalog.users.create(account.id, { email: 'a@b.c', name: null, role: 'owner', password: null })
  const { value } = await catalog.sessions.create(user.id, { address: '', user_agent: null })
  const link = await catalog.passwordResets.create(user.id)

  expect(await resetPassword(catalog, 'nobody@b.c', 'a new password')).toBe(false)
  expect(await resetPassword(catalog, ' A@b.c', 'a new password')).toBe(true)
  expect(await createPasswords().verify('a new password', await catalog.users.passwordOf(user.id))).toBe(true)
  expect(await catalog.sessions.byValue(value)).toBeNull()
  expect(await catalog.passwordResets.take(link)).toBeNull()
  await catalog.stop()
})
