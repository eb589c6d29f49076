import { expect, test } from 'vitest'
import { MAX_REJECTED_BYTES, MAX_TOLD_REFUSALS } from './limits.ts'
import { asStored, createTrial, NOW_US } from './testing.ts'

test('an event that needs no change is stored as the bytes it came in', async () => {
  const trial = createTrial()
  const event = '{ "id":"x" , "message":"caf\\u00e9 \u00e9", "n":1.50, "m":{"a" : [1, 2]} }'
  await trial.send(`[${event}]`)
  await trial.send(`[${event}]`)
  expect(trial.rowsText()).toContain(`{"id":"x","ts":${NOW_US},"e":${event}}\n`)
})

test('so is a line that ends with spaces or a carriage return', async () => {
  const trial = createTrial({ fields: { n: 'integer' } })
  await trial.send('{"n": 1}\r\n{"n": 2} \n{"n": 3}', { headers: { 'content-type': 'application/x-ndjson' } })
  expect(trial.rowsText().match(/"e":.*/g)).toEqual(['"e":{"n": 1}}', '"e":{"n": 2}}', '"e":{"n": 3}}'])
})

test('the frame tells its rows and their times', async () => {
  const trial = createTrial({ fields: { n: 'integer' } })
  await trial.send(`[{"timestamp":${NOW_US - 5}},{"timestamp":${NOW_US - 9}},{"n":1}]`)
  expect(trial.frames.at(-1)).toMatchObject({ kind: 'events', count: 3, minUs: NOW_US - 9, maxUs: NOW_US })
})

test('nothing is acknowledged when the journal fails', async () => {
  const trial = createTrial()
  trial.journal.isBroken = true
  await expect(trial.send('[{"n":1}]')).rejects.toThrow('the disk is full')
  expect(trial.counted.accepted).toBe(0)
})

test('valid events are stored, refused ones are numbered and recorded', async () => {
  const trial = createTrial()
  const receipt = await trial.send('[{"n":1},{"board":[["x"]]},{"n":2},17]')
  expect(receipt).toEqual({
    accepted: 2,
    dropped: 0,
    refused: [
      { index: 1, reason: 'board is an array of arrays' },
      { index: 3, reason: 'is not an object' },
    ],
    refusedCount: 2,
  })
  expect(trial.rejects[0]).toMatchObject({ reason: 'board is an array of arrays', event: { board: [['x']] } })
  expect(trial.counted).toMatchObject({ accepted: 2, refused: 2 })
  expect(trial.rates.of(trial.source.token).total()).toBe(2)
})

test('of very many refusals the first are told and all are counted', async () => {
  const trial = createTrial()
  const receipt = await trial.send(`[${'1,'.repeat(MAX_TOLD_REFUSALS + 5)}1]`)
  expect(receipt.refused).toHaveLength(MAX_TOLD_REFUSALS)
  expect(receipt.refusedCount).toBe(MAX_TOLD_REFUSALS + 6)
})

test('an event of very many or equal names is stored in reasonable time', async () => {
  const trial = createTrial({ source: { transform_copy_fields: 'o.n1:first' } })
  const many = Array.from({ length: 20_000 }, (_, i) => `"n${i}":1`).join(',')
  const equal = '"a":1,'.repeat(20_000)
  const receipt = await trial.send(`[{"o":{${many}}},{${equal}"b":[${'0,'.repeat(20_000)}1]}]`)
  expect(receipt.accepted).toBe(2)
})

test('a large reject is cut', async () => {
  const trial = createTrial()
  await trial.send(`[{"a":[[1]],"b":"${'x'.repeat(MAX_REJECTED_BYTES)}"}]`)
  expect(String(trial.rejects[0]?.event)).toHaveLength(MAX_REJECTED_BYTES + 1)
})

test('a deeply nested reject is kept as text', async () => {
  const trial = createTrial()
  await trial.send(`[{"a":${'['.repeat(4000)}${']'.repeat(4000)}}]`)
  expect(trial.rejects[0]?.event).toEqual(expect.stringContaining('{"a":[[['))
})

test('settings count from the next request on when they come as a new object', async () => {
  const trial = createTrial()
  await trial.send('[{"n":1}]')
  await trial.send('[{"n":2}]', { as: { ...trial.source, transform_copy_fields: 'n:copied' } })
  expect(trial.rows().map(({ e }) => e.copied)).toEqual([undefined, 2])
})

test('ids of a batch grow in the order of its events', async () => {
  const trial = createTrial()
  await trial.send(JSON.stringify(Array.from({ length: 10_000 }, () => ({ n: 1 }))))
  const ids = trial.rows().map(({ id }) => id)
  expect(new Set(ids).size).toBe(10_000)
  expect(ids).toEqual(ids.toSorted())
})

test('a large request lets others go on, and neither disturbs the other', async () => {
  const trial = createTrial()
  const large = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ n, s: 'x'.repeat(80) })))
  let hadATurn = false
  setImmediate(() => {
    hadATurn = true
  })
  const small = Array.from({ length: 5 }, () => trial.send('[{"n":7,"t":1}]'))
  const [first] = await Promise.all([trial.send(large), ...small])
  expect(first?.accepted).toBe(60_000)
  expect(trial.rows()).toHaveLength(60_005)
  expect(hadATurn).toBe(true)
})

test('a message of bytes that look like structure stays a message', async () => {
  const trial = createTrial()
  const message = '"}],{[\\ \u2028 \u0000 \ud83d\ude00'
  for (let i = 0; i < 2; i++) await trial.send(JSON.stringify([{ message }]))
  expect(trial.rows().map(asStored)).toMatchObject([{ event_message: message }, { event_message: message }])
})
