import protobuf from 'protobufjs'
import { expect, test } from 'vitest'
import { asStored, createTrial, NOW_MS, NOW_US } from '../../testing.ts'
import { parseLabels } from './labels.ts'

const { root } = protobuf.parse(`
syntax = "proto3";
message Push { repeated Stream streams = 1; }
message Stream { string labels = 1; repeated Entry entries = 2; uint64 hash = 3; }
message Entry { Time timestamp = 1; string line = 2; repeated Pair structuredMetadata = 3; }
message Time { int64 seconds = 1; int32 nanos = 2; }
message Pair { string name = 1; string value = 2; }
`)
const Push = root.lookupType('Push')
const PROTOBUF = { 'content-type': 'application/x-protobuf' }

async function stored(body: Buffer | string, headers: Record<string, string>) {
  const trial = createTrial()
  await trial.send(body, { format: 'loki', headers })
  return trial.rows().map(asStored).map(({ id: _, ...event }) => event) // biome-ignore format: one line
}

test('a push is the same event as protobuf and as JSON, with its structured metadata', async () => {
  const seconds = NOW_MS / 1000
  const push = {
    streams: [
      {
        labels: '{job="web", app="a\\"b\\nc", }',
        entries: [
          { timestamp: { seconds, nanos: 123_456_789 }, line: 'one', structuredMetadata: [{ name: 'k', value: 'v' }] },
          { timestamp: { seconds }, line: 'zwei ü' },
        ],
        hash: 7,
      },
      { labels: '{job="db"}', entries: [{ timestamp: { seconds }, line: 'three' }] },
    ],
  }
  const json = {
    streams: [
      {
        stream: { job: 'web', app: 'a"b\nc' },
        values: [
          [`${NOW_US + 123_456}789`, 'one', { k: 'v' }],
          [`${NOW_US}000`, 'zwei ü'],
        ],
      },
      { stream: { job: 'db' }, values: [[`${NOW_US}000`, 'three']] },
    ],
  }
  const events = await stored(Buffer.from(Push.encode(Push.fromObject(push)).finish()), PROTOBUF)
  expect(events).toEqual(await stored(JSON.stringify(json), {}))
  expect(events).toMatchObject([
    { event_message: 'one', labels: { job: 'web', app: 'a"b\nc' }, metadata: { k: 'v' }, timestamp: NOW_US + 123_456 },
    { event_message: 'zwei ü' },
    { event_message: 'three', labels: { job: 'db' } },
  ])
})

test('a cut at any byte is refused as a whole', async () => {
  const push = { streams: [{ labels: '{a="b"}', entries: [{ line: 'x' }, { line: 'y' }] }] }
  const whole = Buffer.from(Push.encode(Push.fromObject(push)).finish())
  for (let length = 1; length < whole.length; length++)
    await expect(stored(whole.subarray(0, length), PROTOBUF)).rejects.toMatchObject({ code: 'bad_request' })
})

test.each(['{', '{a}', '{a=}', '{a="b"', '{a="b" c="d"}', 'a="b"', '{a="b"} x', '{="b"}', '{a="b\\"}'])(
  'labels %s cannot be read',
  (labels) => expect(() => parseLabels(labels)).toThrow('cannot be read at character'),
)

test.each([
  ['{}', []],
  ['', []],
  ['{a="b"}', ['b']],
  ['{ a = "b" , c=`d\\n` }', ['b', 'd\\n']],
  ['{a="\\u00e9\\x41\\t{}"}', ['éA\t{}']],
])('labels %s hold %j', (labels, values) => expect(parseLabels(labels).values).toEqual(values))
