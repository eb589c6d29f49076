import { expect, test } from 'vitest'
import { parse } from '../../lql/lql.ts'
import { assertKeys } from './suggested-keys.ts'

const ask =
  (keys: string, lql: string, force = false) =>
  () =>
    assertKeys(keys, parse(lql), force)

test.each([
  ['', 'anything'],
  [' , ', 'anything'],
  ['m.user_id, metadata.env ,', 'x (m.user_id:7 OR -metadata.env:dev)'],
  ['m.user_id', 's:m.user_id'],
  ['m.ms', 'c:max(m.ms)'],
  ['m.User_id!', 'm.user_id:7'],
])('the keys %j are all in %j', (keys, lql) => expect(ask(keys, lql)).not.toThrow())

test('missing keys are named, and force searches without them', () => {
  expect(ask('m.user_id,env', 'env:prod')).toThrow(
    expect.objectContaining({ code: 'conflict', details: { missing_keys: ['m.user_id'], required_keys: [] } }),
  )
  expect(ask('m.user_id,env', 'env:prod', true)).not.toThrow()
})

test('required keys cannot be forced away', () => {
  expect(ask('m.user_id!, env', 'x', true)).toThrow(
    expect.objectContaining({ details: { missing_keys: ['m.user_id', 'env'], required_keys: ['m.user_id'] } }),
  )
  expect(ask('m.user_id!, env', 'm.user_id:1', true)).not.toThrow()
})
