/** Formats that write events as bytes for the scan: the same is stored as when every event is built. */
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, test } from 'vitest'
import { asStored, createTrial, NOW_MS, NOW_US } from '../testing.ts'
import type { Format, Headers } from './format.ts'
import { formats } from './formats.ts'
import { createSyslogMessages } from './syslog/messages.ts'

/** A request that gives its events a time is not scanned; one that is no time changes nothing else. */
const built = (format: Format): Format => ({ ...format, time: () => 'no time' })

type Sent = { format: Format; body: Buffer; headers?: Headers; part?: string | undefined }

async function stored({ format, body, headers = {}, part }: Sent) {
  const trial = createTrial()
  const outcomes: unknown[] = []
  // Twice: the second time the fields are known.
  for (let i = 0; i < 2; i++) {
    const receipt = await trial.accept({ source: trial.source, format, body, headers, part }).catch((error) => error)
    outcomes.push(receipt instanceof Error ? receipt.message : receipt)
  }
  const rows = trial.rows()
  return {
    events: rows.map(asStored).map(withoutOwnId),
    outcomes,
    rejects: trial.rejects,
    fields: trial.schemas.all(trial.source.token),
    /** Rows of events that stayed bytes have their time in them. */
    isBytes: rows.slice(rows.length / 2).map(({ e }) => 'timestamp' in e),
  }
}

const withoutOwnId = (event: Record<string, unknown>) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(String(event.id)) ? { ...event, id: 'ours' } : event

async function expectAlike(sent: Sent): Promise<void> {
  const { isBytes: _, ...fast } = await stored(sent)
  const { isBytes: __, ...slow } = await stored({ ...sent, format: built(sent.format) })
  expect(fast).toEqual(slow)
}

const anyText = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', 'GET /', 'a"b\\c', '@timestamp', '\u001b[31mred', 'üñ', '{"a":1}', '\t\n\u0001', '\ud800'),
)
const time = fc.constantFrom<unknown>(
  '2026-11-15T11:00:00Z',
  '2026-11-15T11:00:00.123456789+01:00',
  NOW_MS,
  `${NOW_US}000`,
  'soon',
  '',
  null,
  '2030-01-01T00:00:00Z',
  '1999-01-01T00:00:00Z',
)
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'timestamp', '@timestamp', 'id', 'message', 'event_message') },
  { weight: 1, arbitrary: fc.constantFrom('a-b', 'A', '', '\u0040timestamp', '_timestamp', '__proto__') },
)
const value = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 3, arbitrary: time },
  {
    weight: 2,
    arbitrary: fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constant({}), fc.constant([[1]])),
  },
  { weight: 1, arbitrary: fc.dictionary(name, fc.oneof(anyText, time), { maxKeys: 3 }) },
)
const object = fc.dictionary(name, value, { maxKeys: 5 })

describe('bulk requests', () => {
  const asked = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('{"create":{}}', '{"index":{"_index":"x"}}', '{"index":{"_index":"y"}}') },
    { weight: 2, arbitrary: fc.constantFrom('{"index":{"_id":"7"}}', '{"index":{"_id":"a\\"b","_index":"x"}}') },
    { weight: 1, arbitrary: fc.constantFrom('{"delete":{"_id":"1"}}', '{"index":{"_id":""}}', 'nonsense', '{}') },
  )
  const document = fc.oneof(
    { weight: 8, arbitrary: object.map((one) => JSON.stringify(one)) },
    { weight: 1, arbitrary: object.map((one) => ` ${JSON.stringify(one).replaceAll(':', ' : ')}  \r`) },
    { weight: 1, arbitrary: fc.constantFrom('{}', '[]', '["a":1}', '{"a":1}x', '{"a":"', '"@timestamp"', '7') },
  )
  const line = fc
    .tuple(asked, document)
    .map(([first, second]) => (/delete/.test(first) ? first : `${first}\n${second}`))

  test('any documents', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.constantFrom(undefined, 'x', ''),
        fc.boolean(),
        (lines, part, isEnded) =>
          expectAlike({ format: formats.elastic, body: Buffer.from(lines.join('\n') + (isEnded ? '\n' : '')), part }),
      ),
      { numRuns: 500 },
    ))

  test.each([
    ['our own time', '{"create":{}}', '{"timestamp":"2026-11-15T11:00:00Z","message":"m"}'],
    ["Elasticsearch's time", '{"create":{}}', '{"message":"m","@timestamp":"2026-11-15T11:00:00Z","a":{"b":1}}'],
    ['an id', '{"index":{"_index":"x","_id":"7"}}', '{"@timestamp":"2026-11-15T11:00:00Z","message":"m"}'],
  ])('documents with %s stay bytes', async (_, action, document) => {
    const body = Buffer.from(`${action}\n${document}\n${action}\n${document}\n`)
    const { isBytes, events } = await stored({ format: formats.elastic, body })
    expect(isBytes).toEqual([true, true])
    expect(events.at(-1)).toMatchObject({ event_message: 'm', timestamp: NOW_US - 3_600_000_000 })
  })

  test('a time that is not at the top of the document is no time of the event', async () => {
    const lines = ['{"create":{}}', '{"a":{"timestamp":"t","@timestamp":"2026-11-15T11:00:00Z"},"timestamp":1}'].join(
      '\n',
    )
    await expectAlike({ format: formats.elastic, body: Buffer.from(lines) })
    const nested = ['{"create":{}}', '{"a":{"timestamp":"t"}}', '{"create":{}}', '{"a":{"@timestamp":"u"}}'].join('\n')
    await expectAlike({ format: formats.elastic, body: Buffer.from(nested) })
  })
})

describe('logs of Datadog', () => {
  const JSON_BODY = { 'content-type': 'application/json' }
  const ddName = fc.constantFrom('date', 'timestamp', 'message', 'service', 'ddtags', 'a', 'a-b')
  const log = fc.dictionary(ddName, fc.oneof(value, fc.constantFrom('date', 'source_name:x', 'x', { date: NOW_MS })), { maxKeys: 5 }) // biome-ignore format: one line
  const body = fc.oneof(fc.array(log, { maxLength: 5 }), log, fc.constantFrom<unknown>([1], ['x'], [[]], { batch: [] }))

  test('any events, whole or cut', () =>
    fc.assert(
      fc.asyncProperty(body, fc.nat(), fc.constantFrom(0, 1), (sent, cut, space) => {
        const whole = JSON.stringify(sent, null, space)
        const bytes = Buffer.from(cut % 4 === 0 ? whole.slice(0, cut % whole.length) : whole)
        return expectAlike({ format: formats.datadog, body: bytes, headers: JSON_BODY })
      }),
      { numRuns: 500 },
    ))

  test('the events of one service are found among others', () =>
    fc.assert(
      fc.asyncProperty(fc.array(log, { minLength: 1, maxLength: 5 }), (sent) =>
        expectAlike({
          format: formats.datadog,
          body: Buffer.from(JSON.stringify(sent)),
          part: 'x',
          headers: JSON_BODY,
        }),
      ),
      { numRuns: 200 },
    ))

  test('ordinary events stay bytes', async () => {
    const sent = [{ date: NOW_MS, message: 'm', service: 's', ddtags: 'a:b', hostname: 'h' }]
    const { isBytes } = await stored({ format: formats.datadog, body: Buffer.from(JSON.stringify(sent)), headers: JSON_BODY }) // biome-ignore format: one line
    expect(isBytes).toEqual([true])
  })
})

describe('pushes of Loki', () => {
  const entryTime = fc.constantFrom<unknown>(
    `${NOW_US}000`,
    `${NOW_US - 5}999`,
    String(NOW_MS),
    '0',
    '',
    '12',
    null,
    NOW_MS,
  )
  const entry = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(entryTime, fc.oneof(anyText, value)) },
    { weight: 4, arbitrary: fc.tuple(entryTime, anyText, fc.oneof(object, fc.constantFrom({ a: 'x' }, {}, null))) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>([], ['1'], 'x', { a: 1 }, [`${NOW_US}000`, 'x', {}, 1]) },
  )
  const stream = fc.oneof(
    { weight: 6, arbitrary: fc.record({ stream: object, values: fc.array(entry, { maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ values: fc.array(entry, { maxLength: 2 }), stream: object }) },
    { weight: 1, arbitrary: fc.record({ labels: object, entries: fc.array(entry, { maxLength: 2 }) }) },
    { weight: 1, arbitrary: fc.record({ labels: object, values: fc.array(entry), stream: object, x: anyText }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>({}, [], 7, { stream: {} }, { stream: 'x', values: 'y' }) },
  )
  const push = fc.oneof(
    { weight: 8, arbitrary: fc.record({ streams: fc.array(stream, { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>({}, [], 7, { streams: {} }, { streams: null, a: [1] }) },
  )

  test('any JSON, whole or cut', () =>
    fc.assert(
      fc.asyncProperty(
        push,
        fc.nat(),
        fc.constantFrom(undefined, ''),
        fc.constantFrom(0, 1),
        (sent, cut, part, space) => {
          const whole = JSON.stringify(sent, null, space)
          const body = Buffer.from(cut % 4 === 0 ? whole.slice(0, cut % whole.length) : whole)
          return expectAlike({ format: formats.loki, body, part, headers: { 'content-type': 'application/json' } })
        },
      ),
      { numRuns: 500 },
    ))

  const { root } = protobuf.parse(`
    syntax = "proto3";
    message Push { repeated Stream streams = 1; }
    message Stream { string labels = 1; repeated Entry entries = 2; }
    message Entry { Time timestamp = 1; string line = 2; repeated Pair structuredMetadata = 3; bytes parsed = 4; }
    message Time { int64 seconds = 1; int32 nanos = 2; }
    message Pair { string name = 1; string value = 2; }`)
  const Push = root.lookupType('Push')
  const packedEntry = fc.record(
    {
      timestamp: fc.record({
        seconds: fc.constantFrom(NOW_MS / 1000, 5, -1),
        nanos: fc.constantFrom(0, 999_999_999, -1),
      }),
      line: anyText,
      structuredMetadata: fc.array(fc.record({ name, value: anyText }), { maxLength: 3 }),
      parsed: fc.constant(Buffer.from('x')),
    },
    { requiredKeys: [] },
  )

  test('any protobuf', () =>
    fc.assert(
      fc.asyncProperty(fc.array(packedEntry, { maxLength: 4 }), (entries) => {
        const streams = [{ labels: '{a="b"}', entries }, { entries }]
        const body = Buffer.from(Push.encode(Push.fromObject({ streams })).finish())
        return expectAlike({ format: formats.loki, body, headers: { 'content-type': 'application/x-protobuf' } })
      }),
      { numRuns: 300 },
    ))

  test('labels that would be repeated for over 300 MB are refused', async () => {
    const values = Array.from({ length: 20_000 }, () => [`${NOW_US}000`, ''])
    // Without a value the label is not stored, so that the test does not need the memory.
    const push = { streams: [{ stream: { ['x'.repeat(20_000)]: null }, values }] }
    const trial = createTrial()
    const sent = trial.send(JSON.stringify(push), { format: 'loki' })
    await expect(sent).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('Labels') })
    expect(trial.frames).toEqual([])
  })

  test('ordinary entries stay bytes in both forms', async () => {
    const json = { streams: [{ stream: { a: 'b' }, values: [[`${NOW_US}000`, 'x'], [`${NOW_US}001`, 'y', { k: 'v' }]] }] } // biome-ignore format: one line
    const sent = { format: formats.loki, body: Buffer.from(JSON.stringify(json)), headers: { 'content-type': 'application/json' } } // biome-ignore format: one line
    expect((await stored(sent)).isBytes).toEqual([true, true])
    const timestamp = { seconds: NOW_MS / 1000, nanos: 1 }
    const entries = [
      { timestamp, line: 'x' },
      { timestamp, line: 'y', structuredMetadata: [{ name: 'k', value: 'v' }] },
    ]
    const body = Buffer.from(Push.encode(Push.fromObject({ streams: [{ labels: '{a="b"}', entries }] })).finish())
    const packed = { format: formats.loki, body, headers: { 'content-type': 'application/x-protobuf' } }
    expect((await stored(packed)).isBytes).toEqual([true, true])
  })
})

describe('syslog', () => {
  const word = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('-', 'web-1', 'router', 'heroku', 'r', 'a"b\\', 'ü', '\u00a0', 'x\u007f') },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 4 }) },
  )
  const newTime = fc.constantFrom('2026-11-15T11:00:00.000001Z', '-', '2026-11-15T11:00:00+01:00', '2026-11-15t11:00:00Z', '2026-13-15T11:00:00Z', '20261115T110000Z') // biome-ignore format: one line
  const oldTime = fc.oneof(fc.constantFrom('Nov 15 10:00:00', 'Nov  5 10:00:00', 'Dec 31 23:00:00', 'Xxx 15 10:00:00', 'Nov 15 25:00:00'), newTime) // biome-ignore format: one line
  const priority = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('134', '13', '0', '191') }, { weight: 1, arbitrary: fc.constantFrom('192', '007', '', '1345') }) // biome-ignore format: one line
  const text = fc.oneof(anyText, fc.constantFrom('\ufeffmarked', 'paid {"n":1}', 'at=info path="/a"', ' two', 'x }', 'end \u00a0', 'x\n', 'tail ü', 'tail \u2003')) // biome-ignore format: one line
  const data = fc.constantFrom('- ', '-', '', '[x@1 a="b"] ', '[x] ', '-- ', '-x ')
  const message = fc.oneof(
    fc
      .tuple(priority, newTime, word, word, word, word, data, text)
      .map(([p, t, host, app, process, id, sd, rest]) => `<${p}>1 ${t} ${host} ${app} ${process} ${id} ${sd}${rest}`),
    fc
      .tuple(priority, oldTime, word, word, fc.constantFrom('', '[42]', '[-]', '[]', '[router]', '[a b', '[ü]'), fc.constantFrom(': ', ':', ' ', ''), text) // biome-ignore format: one line
      .map(([p, t, host, app, process, colon, rest]) => `<${p}>${t} ${host} ${app}${process}${colon}${rest}`),
    fc.tuple(priority, text).map(([p, rest]) => `<${p}>${rest}`),
    text,
  )

  test('any messages', () =>
    fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 6 }), fc.boolean(), (messages, isCut) => {
        const pieces = messages.map((one) => Buffer.from(one)).map((one) => (isCut ? one.subarray(0, -1) : one))
        let end = 0
        const ends = pieces.map(({ length }) => {
          end += length
          return end
        })
        return expectAlike({ format: createSyslogMessages({ ends }), body: Buffer.concat(pieces) })
      }),
      { numRuns: 1000 },
    ))

  test.each([
    '<134>1 2026-11-15T11:00:00.000001Z web-1 checkout 42 ID7 - GET /api 200',
    '<134>1 2026-11-15T11:00:00Z web-1 checkout - - - said "hi", ümlaut',
    '<13>Nov 15 10:00:00 host sshd[42]: Accepted key',
    '<13>2026-11-15T11:00:00+01:00 host su: in',
  ])('%s stays bytes', async (line) => {
    const { isBytes } = await stored({ format: formats.syslog, body: Buffer.from(`${line}\n${line}\n`) })
    expect(isBytes).toEqual([true, true])
  })
})
