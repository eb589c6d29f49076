import { expect, test } from 'vitest'
import { eventOfRow, printEvent } from './event-of-row.ts'
import type { FlatFields } from './fields.ts'

const printed = (e: string, fields: FlatFields = {}): string =>
  printEvent(eventOfRow(`{"id":"a","ts":1763193600000001,"e":${e}}`, () => fields))

const HEAD = '"id":"a","timestamp":1763193600000001'

test.each([
  ['a message is lifted', '{"message":"m","x":1}', `{${HEAD},"event_message":"m","x":1}`],
  ['an event message is kept', '{"event_message":"m"}', `{${HEAD},"event_message":"m"}`],
  ['both are both', '{"message":"m","event_message":"e"}', `{${HEAD},"event_message":"e","message":"m"}`],
  ['without either it is null', '{"x":"y"}', `{${HEAD},"event_message":null,"x":"y"}`],
  ["the sender's id and time are not read", '{"id":"b","timestamp":5,"x":1}', `{${HEAD},"event_message":null,"x":1}`],
  [
    'integers beyond 2^53 are text',
    '{"x":9007199254740993,"l":[-9223372036854775808,1]}',
    `{${HEAD},"event_message":null,"x":"9007199254740993","l":["-9223372036854775808",1]}`,
  ],
  ['2^53 - 1 is a number', '{"x":9007199254740991}', `{${HEAD},"event_message":null,"x":9007199254740991}`],
  [
    'more than 64 bits is a float',
    '{"x":100000000000000000000}',
    `{${HEAD},"event_message":null,"x":100000000000000000000}`,
  ],
  ['digits in text stay', '{"x":"9007199254740993"}', `{${HEAD},"event_message":null,"x":"9007199254740993"}`],
  [
    'a name like any other',
    '{"__proto__":{"x":9007199254740993}}',
    `{${HEAD},"event_message":null,"__proto__":{"x":"9007199254740993"}}`,
  ],
])('%s', (_, e, expected) => expect(printed(e)).toBe(expected))

test('a long integer in a field of floats is a float, at any depth', () => {
  const fields: FlatFields = { m: 'object', 'm.x': 'float', l: 'object[]', 'l.y': 'float[]' }
  const e = '{"m":{"x":9007199254740994,"z":9007199254740994},"l":[{"y":[9007199254740994]}]}'
  expect(printed(e, fields)).toBe(
    `{${HEAD},"event_message":null,"m":{"x":9007199254740994,"z":"9007199254740994"},"l":[{"y":[9007199254740994]}]}`,
  )
})

test('what is no row is refused', () => expect(() => eventOfRow('{"id":"a","ts":1}', () => ({}))).toThrow('no id'))
