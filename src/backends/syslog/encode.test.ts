import { createDecipheriv } from 'node:crypto'
import { expect, test } from 'vitest'
import type { StoredEvent } from '../../model/event-of-row.ts'
import { encode } from './encode.ts'

const event: StoredEvent = {
  id: '5b6f7c1e-2f0a-4a53-9a44-0d7f4a1c9e10',
  timestamp: 1_712_345_678_901_234,
  event_message: 'disk full',
  metadata: { level: 'warn', host: 'web 1', app_name: 'Store Front' },
}
const wide = { max_message_bytes: 50_000 }
const text = (one: StoredEvent, options = {}) => encode([one], { ...wide, ...options }).toString('utf8')

test('a frame is its length, the header, and the event with sorted names', () => {
  expect(text(event)).toBe(
    '251 <132>1 2024-04-05T19:34:38.901Z web_1 Store_Front - LNXXYHRPBJFFHGSEBV7UUHE6CA - {"event_message":"disk full","id":"5b6f7c1e-2f0a-4a53-9a44-0d7f4a1c9e10","metadata":{"app_name":"Store Front","host":"web 1","level":"warn"},"timestamp":1712345678901234}',
  )
})

test.each([
  ['EMERG', 128],
  [3, 131],
  ['3', 134],
  [9, 134],
  [1.5, 134],
  [{}, 134],
  [undefined, 134],
])('level %j makes priority %i', (level, priority) => {
  expect(text({ ...event, metadata: { level } })).toContain(` <${priority}>1 `)
})

test('structured data stands where it belongs, and header fields are cleaned byte by byte', () => {
  const shown = text({ ...event, metadata: { host: '😀', app_name: 'x'.repeat(60) } }, { structured_data: '[a b="c"]' })
  expect(shown).toContain(` ____ ${'x'.repeat(48)} - LNXXYHRPBJFFHGSEBV7UUHE6CA [a b="c"] {`)
})

test.each([
  ['order 66', 'order_66'],
  ['é'.repeat(20), '_'.repeat(32)],
  ['', '-'],
])('an id that a sender chose, %j, is shown as %s', (id, shown) => {
  expect(text({ ...event, id })).toContain(` Store_Front - ${shown} - {`)
})

test('names are in byte order at every depth, and long integers are text', () => {
  const metadata = { b: [{ z: 1, A: 9_007_199_254_740_993n }], B: 'ü"\n', _a: true, a1: null, a: undefined }
  expect(text({ ...event, metadata })).toContain(
    String.raw`"metadata":{"B":"ü\"\n","_a":true,"a1":null,"b":[{"A":"9007199254740993","z":1}]}`,
  )
})

test('a message that is too long is cut between characters, and headers never', () => {
  for (let limit = 1; limit < 260; limit++) {
    const bytes = encode([{ ...event, event_message: 'äöü€😀'.repeat(9) }], { max_message_bytes: limit })
    const shown = bytes.toString('utf8')
    expect(Buffer.from(shown).equals(bytes)).toBe(true)
    const [, length, message] = /^(\d+) ([\s\S]*)$/.exec(shown)!
    expect(Buffer.byteLength(message!)).toBe(Number(length))
    expect(message).toContain(' LNXXYHRPBJFFHGSEBV7UUHE6CA - ')
    if (limit > 100) expect(Number(length)).toBeLessThanOrEqual(limit)
  }
})

function open(body: string, key: Buffer): string {
  const bytes = Buffer.from(body, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from('syslog'))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
}

const key = Buffer.alloc(32, 7)

test('the known encrypted body opens to what it was', () => {
  expect(open('AAECAwQFBgcICQoL1QnP9ofCCbXx7c7LuVeOY2OjiFInOKQ=', key)).toBe('{"a":1}')
})

test('an encrypted body opens to the JSON, whole or cut to fit', () => {
  const body = (limit: number) =>
    encode([event], { max_message_bytes: limit, cipher_key: key.toString('base64') })
      .toString()
      .split(' ')
      .slice(8)
  expect(JSON.parse(open(body(50_000)[0]!, key))).toEqual(event)
  const cut = open(body(200)[0]!, key)
  expect('{"event_message":"disk full","id":'.startsWith(cut.slice(0, 30))).toBe(true)
  expect(body(90)).toEqual([''])
})
