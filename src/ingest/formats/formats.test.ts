import { describe, expect, test } from 'vitest'
import { asStored, createTrial, NOW_MS, NOW_US } from '../testing.ts'
import { sourceInBody } from './bodies.ts'

const ndjson = { 'content-type': 'application/x-ndjson' }

describe('logs', () => {
  test.each([
    ['a batch', '{"batch":[{"n":1},{"n":2}]}', [1, 2]],
    [
      'a batch behind other fields',
      ' {"source":"x", "more":{"batch":[]},\n "batch" : [ {"n":1} ,\n{"n":2} ] } ',
      [1, 2],
    ],
    ['a batch before other fields', '{"batch":[{"n":1}],"source":"x"}', [1]],
    ['an empty batch', '{"batch":[]}', []],
    ['a bare array', '[{"n":1},{"n":2}]', [1, 2]],
    ['an empty array', '[]', []],
    ['one object', '{"n":1}', [1]],
    ['an object over several lines', '{\n"n":\n1\n}\n', [1]],
    ['an empty object', '{}', [undefined]],
    ['lines labelled as JSON', '{"n":1}\r\n\n{"n":2}\n', [1, 2]],
  ])('%s', async (_, body, expected) => {
    const trial = createTrial()
    const { accepted, refused } = await trial.send(body)
    expect(refused).toEqual([])
    expect(accepted).toBe(expected.length)
    expect(trial.rows().map(({ e }) => e.n)).toEqual(expected)
  })

  test.each([
    ['a batch that is no list is a field', '{"batch":{"a":1}}', { batch: { a: 1 } }],
    ['a bare string is the message', '"hello"', { event_message: 'hello' }],
  ])('%s', async (_, body, expected) => {
    const trial = createTrial()
    await trial.send(body)
    expect(asStored(trial.rows()[0]!)).toMatchObject(expected)
  })

  test.each([
    ['nothing', ''],
    ['white space', ' \n '],
    ['a cut batch', '{"batch":[{"n":1},{"n":2}'],
    ['a cut object', '{"n":1'],
    ['two values on a line', '{"n":1} {"n":2}'],
    ['something after a batch', '{"batch":[{"n":1}]}\n{"n":2}'],
    ['a comma too many', '[{"n":1},]'],
    ['no JSON', '<event/>'],
  ])('%s is refused as a whole and leaves no trace', async (_, body) => {
    const trial = createTrial()
    await expect(trial.send(body)).rejects.toMatchObject({ code: 'bad_request' })
    expect(trial.frames).toEqual([])
    expect(trial.schemas.all(trial.source.token)).toEqual({})
  })

  test('a broken body says where', async () => {
    await expect(createTrial().send('{"batch":[{"n":tru}]}')).rejects.toThrow('broken at byte 15')
  })

  test('a broken line is refused alone', async () => {
    const trial = createTrial()
    const { accepted, refused } = await trial.send('{"n":1}\n{"n":\n\n17\n{"n":2} x\n"words"\n', { headers: ndjson })
    expect(accepted).toBe(2)
    expect(refused).toEqual([
      { index: 1, reason: 'the JSON ends too early' },
      { index: 2, reason: 'is not an object' },
      { index: 3, reason: 'the JSON is broken at its byte 7' },
    ])
    expect(trial.rejects.map(({ event }) => event)).toEqual(['{"n":', 17, '{"n":2} x'])
  })

  test.each(['application/json; charset=utf-8', 'application/csp-report', 'application/vnd.api+json', ''])(
    'content type "%s" is JSON',
    async (type) => {
      expect(await createTrial().send('[{}]', { headers: { 'content-type': type } })).toMatchObject({ accepted: 1 })
    },
  )

  test('other content types are refused', async () => {
    const headers = { 'content-type': 'application/xml' }
    await expect(createTrial().send('<e/>', { headers })).rejects.toMatchObject({ code: 'unsupported_type' })
  })

  test.each([
    ['beside a batch', '{"batch":[1,{"source":"no"}],"source":"s"}', { field: 'source', value: 's' }],
    ['in a single event', '{"source_name":"n","a":{"source":"no"}}', { field: 'source_name', value: 'n' }],
    ['by its older word', '{"collection":"c","collection_name":"n"}', { field: 'collection_name', value: 'n' }],
    ['not in lines', '{"source":"s"}\n{"source":"t"}', null],
    ['not in a list', '[{"source":"s"}]', null],
    ['before a break', '{"source":"s","batch":[', { field: 'source', value: 's' }],
    ['not as a number', '{"source":1}', null],
  ])('the body names its source %s', (_, body, expected) => {
    expect(sourceInBody(Buffer.from(body))).toEqual(expected)
  })

  test('the field that named the source is not stored, another one is', async () => {
    const trial = createTrial()
    await trial.send('{"source":"s","source_name":"n"}', { sourceField: 'source' })
    expect(trial.rows()[0]?.e).toEqual({ source_name: 'n' })
  })
})

describe('cloud-event', () => {
  const headers = {
    'ce-specversion': '1.0.2',
    'ce-id': 'c1',
    'ce-time': '2026-11-15T11:59:00Z',
    'ce-trace-parent': '00',
  }
  const send = async (body: string, more: Record<string, string> = {}) => {
    const trial = createTrial()
    await trial.send(body, { format: 'cloud-event', headers: { ...headers, ...more } })
    return trial.rows().map(asStored)
  }

  test('headers become the object cloud_event, ce-time the timestamp', async () => {
    const [stored] = await send('{"parcel":"P","id":"own","batch":[{"x":1}]}')
    expect(stored).toMatchObject({
      id: 'own',
      timestamp: NOW_US - 60_000_000,
      parcel: 'P',
      batch: [{ x: 1 }],
      cloud_event: { specversion: '1.0.2', id: 'c1', time: headers['ce-time'], trace_parent: '00' },
    })
  })

  test('each element of a list is an event', async () => {
    expect(await send('[{"a":1},{"a":2}]')).toMatchObject([{ a: 1, cloud_event: { id: 'c1' } }, { a: 2 }])
  })

  test("an unusable ce-time leaves the body's own time", async () => {
    const [stored] = await send(`{"timestamp":${NOW_MS - 5000}}`, { 'ce-time': 'soon' })
    expect(stored).toMatchObject({ timestamp: NOW_US - 5_000_000, cloud_event: { time: 'soon' } })
  })

  test.each([
    ['no data', '', {}],
    ['text for its data', '"paid"', { event_message: 'paid' }],
  ])('an event with %s is stored with its attributes', async (_, body, expected) => {
    expect(await send(body)).toMatchObject([{ ...expected, cloud_event: { id: 'c1' } }])
  })

  test('an event that should stand in the body needs one', async () => {
    await expect(send('', { 'content-type': 'application/cloudevents+json' })).rejects.toMatchObject({
      code: 'bad_request',
    })
  })

  test("a sender's own cloud_event gets a number", async () => {
    expect((await send('{"cloud_event":"mine"}'))[0]).toMatchObject({
      cloud_event: { id: 'c1' },
      cloud_event_2: 'mine',
    })
  })

  test('header values are percent-decoded, and a lone percent sign is itself', async () => {
    const [stored] = await send('{}', { 'ce-subject': 'caf%C3%A9 100%' })
    expect(stored).toMatchObject({ cloud_event: { subject: 'café 100%' } })
  })

  const structured = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
  const attributes = { specversion: '1.0', id: 'c1', source: '/shop', type: 'paid', time: '2026-11-15T11:59:00Z' }
  const sendBody = async (body: object, type = structured['content-type']) => {
    const trial = createTrial()
    await trial.send(JSON.stringify(body), { format: 'cloud-event', headers: { 'content-type': type } })
    return trial.rows().map(asStored)
  }

  test('a structured event is stored like a binary one', async () => {
    const [stored] = await sendBody({ ...attributes, data: { parcel: 'P', timestamp: 5 } })
    expect(stored).toMatchObject({
      timestamp: NOW_US - 60_000_000,
      parcel: 'P',
      _timestamp: 5,
      cloud_event: attributes,
    })
    expect(stored).not.toHaveProperty('data')
  })

  test('data that is no object is kept', async () => {
    expect(await sendBody({ ...attributes, data: 'words' })).toMatchObject([{ event_message: 'words' }])
    expect(await sendBody({ ...attributes, data: 7 })).toMatchObject([{ data: 7 }])
    expect(await sendBody({ ...attributes, data_base64: 'AAE=' })).toMatchObject([{ data_base64: 'AAE=' }])
  })

  test('a batch is unpacked, and refused whole when one event is of another version', async () => {
    const batch = 'application/cloudevents-batch+json'
    const stored = await sendBody(
      [
        { ...attributes, data: { n: 1 } },
        { ...attributes, data: { n: 2 } },
      ],
      batch,
    )
    expect(stored).toMatchObject([{ n: 1 }, { n: 2, cloud_event: { id: 'c1' } }])
    expect(await sendBody([], batch)).toEqual([])
    const mixed = sendBody([attributes, { ...attributes, specversion: '0.3' }], batch)
    await expect(mixed).rejects.toMatchObject({ code: 'bad_request' })
  })

  test.each(['0.3', '2.0', ''])('spec version "%s" is refused', async (version) => {
    await expect(send('{}', { 'ce-specversion': version })).rejects.toMatchObject({ code: 'bad_request' })
  })

  test('1.0 is accepted', async () => {
    expect(await send('{}', { 'ce-specversion': '1.0' })).toHaveLength(1)
  })
})

describe('json', () => {
  test.each([
    ['an object', '{"b":[1], "timestamp":5}', ['{"b":[1], "timestamp":5}']],
    ['each element of a list', '[{"b":1},{"batch":[2]}]', ['{"b":1}', '{"batch":[2]}']],
  ])('%s becomes the message and the metadata', async (_, body, texts) => {
    const trial = createTrial()
    await trial.send(body, { format: 'json' })
    expect(trial.rows().map(asStored)).toMatchObject(
      texts.map((text) => ({ event_message: text, timestamp: NOW_US, metadata: JSON.parse(text) })),
    )
  })
})

describe('edge', () => {
  const time = '2026-11-15T11:00:00Z'
  const line = `{"EdgeStartTimestamp":"${time}","Status":404}`

  test.each(['application/x-ndjson', 'text/plain; charset=utf-8', 'application/json'])('lines as %s', async (type) => {
    const trial = createTrial()
    await trial.send(`${line}\n\n${line}`, { format: 'edge', headers: { 'content-type': type } })
    expect(trial.rows().map(asStored)).toMatchObject(
      Array(2).fill({
        timestamp: NOW_US - 3_600_000_000,
        event_message: line,
        metadata: { EdgeStartTimestamp: time, Status: 404 },
      }),
    )
  })

  test('bad lines are recorded', async () => {
    const trial = createTrial()
    const { accepted } = await trial.send(`${line}\nnot json\n17\n`, { format: 'edge', headers: ndjson })
    expect(accepted).toBe(1)
    expect(trial.rejects).toMatchObject([{ event: 'not json' }, { event: 17, reason: 'is not an object' }])
  })

  test.each([
    ['nothing', ''],
    ['blank lines', ' \n'],
    ['a word', 'test'],
  ])('a first try with %s is taken', async (_, body) => {
    const trial = createTrial()
    expect(await trial.send(body, { format: 'edge' })).toMatchObject({ accepted: 0 })
  })

  test('a JSON batch, or one object without its source', async () => {
    const trial = createTrial()
    await trial.send('{"source":"s","batch":[{"message":"GET /"}]}', { format: 'edge' })
    await trial.send('{"source":"s","message":"GET /b"}', { format: 'edge' })
    expect(trial.rows().map(asStored)).toMatchObject([{ event_message: 'GET /' }, { event_message: 'GET /b' }])
    expect(trial.rowsText()).not.toContain('source')
  })
})
