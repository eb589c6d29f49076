import { expect, test } from 'vitest'
import { safeNext } from './next.ts'

test.each([
  ['the page that was asked for', '/sources/1/search?lql=a', '/sources/1/search?lql=a'],
  ['no page', undefined, '/sources'],
  ['another site', 'https://example.com', '/sources'],
  ['another site without a scheme', '//example.com', '/sources'],
  ['another site behind a backslash', '/\\example.com', '/sources'],
  ['the login page itself', '/login?next=/', '/sources'],
])('after the log-in: %s', (_, next, expected) => expect(safeNext(next)).toBe(expected))
