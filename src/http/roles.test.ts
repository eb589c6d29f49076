import { expect, test } from 'vitest'
import { decidedRole, isChange, roleFor } from './roles.ts'

test.each([
  ['GET', '/api/sources', 'viewer'],
  ['DELETE', '/api/sources/:token', 'member'],
  ['POST', '/api/endpoints/:token/versions/:version/restore', 'member'],
  ['POST', '/api/endpoints/query/:name', 'viewer'],
  ['POST', '/api/users/:id/password', 'viewer'],
  ['DELETE', '/api/users/:id', 'admin'],
  // Not what begins with the same letters.
  ['GET', '/api/accounts', 'owner'],
  ['GET', '/api/account', 'viewer'],
] as const)('%s %s needs the role %s', (method, path, role) => expect(decidedRole(method, path)).toBe(role))

test('a route nobody decided about is closed to all but owners', () => {
  expect(decidedRole('GET', '/api/something-new')).toBeNull()
  expect(decidedRole('GET', '/api')).toBeNull()
  expect(roleFor('GET', '/api/something-new')).toBe('owner')
})

test('questions are no changes', () => {
  expect(isChange('POST', '/api/query')).toBe(false)
  expect(isChange('POST', '/api/sources/:token/preview')).toBe(false)
  expect(isChange('GET', '/api/sources')).toBe(false)
  expect(isChange('PATCH', '/api/sources/:token')).toBe(true)
})
