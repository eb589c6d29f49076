import { expect, test } from 'vitest'
import { createSignatures } from './signature.ts'

let nowMs = Date.UTC(2026, 10, 15)
const secretKey = Buffer.alloc(32, 1)
const ours = createSignatures({ secretKey, nowMs: () => nowMs })

test('a request that was signed with the same key is good for a minute, for this method and address alone', () => {
  const header = ours.sign('GET', '/internal/hello')
  expect(ours.objection(header, 'GET', '/internal/hello')).toBeNull()
  expect(ours.objection(header, 'POST', '/internal/hello')).toMatch('nodes of the same deployment')
  expect(ours.objection(header, 'GET', '/internal/tail?source=x')).toMatch('nodes of the same deployment')
  nowMs += 61_000
  expect(ours.objection(header, 'GET', '/internal/hello')).toMatch('clocks')
})

test.each([undefined, '', 'x', '1.2', `1.${'0'.repeat(64)}`, ['a', 'b']])('%j is no signature', (header) => {
  expect(ours.objection(header, 'GET', '/')).toMatch('MILLRACE_SECRET_KEY')
})

test('another key signs otherwise', () => {
  const theirs = createSignatures({ secretKey: Buffer.alloc(32, 2), nowMs: () => nowMs })
  expect(ours.objection(theirs.sign('GET', '/'), 'GET', '/')).toMatch('MILLRACE_SECRET_KEY')
})
