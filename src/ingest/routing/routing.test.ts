import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMatcher, parse } from '../../lql/lql.ts'
import { eventsOf, flatten, type StoredEvent, schema, type Value } from '../../lql/testing/events.ts'
import { filterOf } from '../../lql/testing/queries.ts'
import type { IngestSource } from '../source.ts'
import { asStored, createTrial, NOW_MS, NOW_US } from '../testing.ts'

const SETTINGS = createTrial().source

function target(number: number, settings: Partial<IngestSource> = {}): IngestSource {
  return { ...SETTINGS, token: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, ...settings }
}

const b = target(1)
const c = target(2)

function route(lql: string, to: IngestSource) {
  return { lql, target: to }
}

/** Sends the events one by one, each twice: what is known the second time is copied as bytes. */
async function sendTwice(trial: ReturnType<typeof createTrial>, events: object[]) {
  for (const round of [1, 2]) {
    for (const [i, event] of events.entries()) {
      await trial.send(JSON.stringify([{ id: `${round}.${i}`, ...event }]))
    }
  }
  return (source: IngestSource) => trial.rows(source.token).map(asStored)
}

describe('copies', () => {
  test('have the id, the time and the fields of the event, also an id that was made here', async () => {
    const trial = createTrial({ routes: [route('order', b)] })
    const body = JSON.stringify([
      { timestamp: NOW_US - 5, message: 'order placed', m: { n: 9.5 } },
      { message: 'other' },
    ])
    await trial.send(body)
    await trial.send(body)
    const [first, second] = trial.rows(trial.source.token).filter(({ ts }) => ts === NOW_US - 5)
    expect(trial.rows(b.token).map(asStored)).toEqual([asStored(first!), asStored(second!)])
    expect(trial.counted).toMatchObject({ accepted: 4, copied: 2 })
  })

  test('are made once per target, and not again from there', async () => {
    const trial = createTrial({ routes: [route('ping', b), route('level:info', b), route('ping', c)] })
    const stored = await sendTwice(trial, [{ message: 'ping', level: 'info' }])
    expect(stored(b)).toHaveLength(2)
    expect(stored(c)).toHaveLength(2)
  })

  test('a rule onto the source itself does nothing', async () => {
    const trial = createTrial({ routes: [route('ping', SETTINGS)] })
    const stored = await sendTwice(trial, [{ message: 'ping' }])
    expect(stored(SETTINGS)).toHaveLength(2)
  })

  test('are durable together with the event, with the fields that each source needs', async () => {
    const trial = createTrial({ routes: [route('n:1', b)] })
    trial.journal.isBroken = true
    await expect(trial.send('[{"n":1}]')).rejects.toThrow('the disk is full')
    trial.journal.isBroken = false
    await trial.send('[{"n":1}]')
    expect(trial.journal.appends).toBe(1)
    expect(trial.frames.map(({ kind, source }) => [kind, source])).toEqual([
      ['fields', SETTINGS.token],
      ['events', SETTINGS.token],
      ['fields', b.token],
      ['events', b.token],
    ])
    expect(trial.schemas.flat(b.token)).toEqual({ n: 'integer' })
  })

  test('a target that was deleted meanwhile is skipped', async () => {
    const slow = target(3, { transform_key_values: 'x:y' })
    const trial = createTrial({
      routes: [route('x:1', b), route('x:1', slow)],
      onLookup: () => trial.schemas.forget(b.token),
    })
    await trial.send('[{"x":1}]')
    expect(trial.rows(b.token)).toEqual([])
    expect(trial.rows(slow.token)).toHaveLength(1)
  })

  test('count for the rate of the target, and not for the account', async () => {
    const trial = createTrial({ routes: [route('x:1', b)] })
    await trial.send('[{"x":1},{"x":2}]')
    expect(trial.rates.of(b.token).total()).toBe(1)
    expect(trial.rates.of('account 1').total()).toBe(2)
  })
})

describe('the target', () => {
  test.each<[string, Partial<IngestSource>, object]>([
    ['copies fields', { transform_copy_fields: 'm.shop:place' }, { place: 'k1' }],
    ['enriches', { transform_key_values: 'm.shop:city:city' }, { city: 'Łódź' }],
    ['drops fields', { transform_drop_fields: 'm.pin' }, { metadata: expect.not.objectContaining({ pin: 1 }) }],
    ['composes the message', { custom_event_message_keys: 'message,m.pin' }, { event_message: 'sale | 1' }],
    ['reads the message under its own name', { transform_copy_fields: 'event_message:was' }, { was: 'sale' }],
  ])('%s', async (_, settings, expected) => {
    const keyed = target(4, settings)
    const trial = createTrial({ routes: [route('sale', keyed)], keyValues: { k1: { city: 'Łódź' } } })
    const stored = await sendTwice(trial, [{ message: 'sale', metadata: { shop: 'k1', pin: 1 } }])
    for (const copy of stored(keyed)) expect(copy).toMatchObject(expected)
    expect(stored(keyed)).toHaveLength(2)
    for (const event of stored(SETTINGS))
      expect(event).toMatchObject({ event_message: 'sale', metadata: { shop: 'k1', pin: 1 } })
  })

  test('keeps out what its own drop filter matches, and what is past its retention', async () => {
    const picky = target(5, { drop_lql_string: 'level:debug', retention_days: 1 })
    const trial = createTrial({ routes: [route('-level:none', picky)] })
    const old = new Date(NOW_MS - 2 * 86_400_000).toISOString()
    const stored = await sendTwice(trial, [{ level: 'debug' }, { level: 'info' }, { level: 'info', timestamp: old }])
    expect(stored(picky).map(({ id }) => id)).toEqual(['1.1', '2.1'])
    expect(trial.counted).toMatchObject({ accepted: 6, copied: 2, dropped: 4 })
  })

  test('fits the copy to its own fields, and keeps what comes unfit with it', async () => {
    const trial = createTrial({ routes: [route('-n:0', b)] })
    trial.schemas.of(b.token, { n: 'string', flag: 'boolean' })
    await trial.send('[{"id":"1","n":7},{"id":"2","n":"many","flag":"no"}]')
    expect(trial.rows(b.token).map(asStored)).toMatchObject([
      { n: '7' },
      { id: '2', _unfit: { n: 'many', flag: 'no' } },
    ])
    expect(trial.counted.unfit).toBe(2)
  })

  test('keeps unlisted fields where it is locked, beside those that come unlisted', async () => {
    const locked = target(6, { lock_schema: true })
    const trial = createTrial({
      source: { lock_schema: true },
      fields: { a: 'integer' },
      routes: [route('a:1', locked)],
    })
    await trial.send('[{"a":1,"b":2}]')
    const [copy] = trial.rows(locked.token)
    expect(copy?.e).toEqual({ _unlisted: '{"a":1,"_unlisted":"{\\"b\\":2}"}' })
  })
})

describe('the drop filter', () => {
  test('keeps matching events out, and the sender is not told', async () => {
    const trial = createTrial({ source: { drop_lql_string: 'm.level:debug' } })
    const body = '[{"m":{"level":"debug"},"x":1},{"m":{"level":"info"},"x":1}]'.replaceAll('"m"', '"metadata"')
    expect(await trial.send(body)).toEqual({ accepted: 1, dropped: 1, refused: [], refusedCount: 0 })
    expect(await trial.send(body)).toEqual({ accepted: 1, dropped: 1, refused: [], refusedCount: 0 })
    expect(trial.rows().map(({ e }) => e)).toEqual([
      { metadata: { level: 'info' }, x: 1 },
      { metadata: { level: 'info' }, x: 1 },
    ])
  })

  test('events that it keeps out are not copied either', async () => {
    const trial = createTrial({ source: { drop_lql_string: 'level:debug' }, routes: [route('-x:1', b)] })
    const stored = await sendTwice(trial, [{ level: 'debug' }, { level: 'info' }])
    expect(stored(b).map(({ level }) => level)).toEqual(['info', 'info'])
  })

  test('an event that it keeps out leaves no trace in the schema', async () => {
    const trial = createTrial({ source: { drop_lql_string: 'noise:true' }, fields: { n: 'integer', noise: 'boolean' } })
    await trial.send('[{"noise":true,"n":2.5,"new":{"deep":1},"message":"a","event_message":"b"}]')
    expect(trial.schemas.all(trial.source.token)).toEqual({ n: 'integer', noise: 'boolean' })
    expect(trial.frames).toEqual([])
    await trial.send('[{"id":"1","noise":false,"n":2,"new":"text"}]')
    expect(trial.schemas.all(trial.source.token)).toEqual({ n: 'integer', noise: 'boolean', new: 'string' })
  })

  test('sees the event as stored: a number sent as text, a name made legal, a composed message', async () => {
    const source = { drop_lql_string: 'n:>=500 _a_b:1 "x | 1"', custom_event_message_keys: 'message,_a_b' }
    const trial = createTrial({ source, fields: { n: 'integer' } })
    expect(await trial.send('[{"n":"500","a-b":1,"message":"x"}]')).toMatchObject({ dropped: 1 })
  })
})

test('an id that is made here can be asked for', async () => {
  const trial = createTrial({ routes: [route('-id:x', b)] })
  for (let round = 0; round < 2; round++) await trial.send('[{"n":1},{"n":1,"id":"x"}]')
  expect(trial.rows(b.token).map(({ id }) => id)).toEqual([
    expect.stringMatching(/^[0-9a-f-]{36}$/),
    expect.stringMatching(/^[0-9a-f-]{36}$/),
  ])
})

/** Rows as values that the matcher knows, with every digit. */
function exactly(rowsText: string) {
  return rowsText
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      asStored(
        JSON.parse(line, (_, value, { source }: { source?: string } = {}) =>
          typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source) ? BigInt(source) : value,
        ),
      ),
    )
}

function jsonOf(value: Value): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}:${jsonOf(inner)}`)
    .join(',')}}`
}

function bodyOf(events: StoredEvent[], round: number): string {
  const texts = events.map(({ id, event_message, fields }) =>
    jsonOf({ ...fields, id: `${id}.${round}`, ...(event_message === undefined ? {} : { message: event_message }) }),
  )
  return `[${texts.join(',')}]`
}

const SETTINGS_TRIED: Partial<IngestSource>[] = [
  {},
  { transform_copy_fields: 'm.a:metadata.b\nlevel:event_message' },
  { transform_drop_fields: 'm.a\nb\nm.Code' },
  { transform_copy_fields: 'm.a:x', transform_drop_fields: 'm.a\nlevel' },
  { transform_drop_fields: 'm.a\nb', custom_event_message_keys: 'message,m.Code' },
]

const scene = schema.chain((fields) =>
  fc.record({
    events: eventsOf(fields),
    rules: fc.array(filterOf(flatten(fields)), { minLength: 1, maxLength: 8 }),
    settings: fc.constantFrom(...SETTINGS_TRIED),
    ofTarget: fc.constantFrom(...SETTINGS_TRIED),
  }),
)

test('whatever the events and rules, the copies are those events that the matcher finds among the stored ones', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ events, rules, settings, ofTarget }) => {
      const targets = rules.map((_, i) => target(i % 3, ofTarget))
      const routes = rules.map((lql, i) => route(lql, targets[i % 3]!))
      const trial = createTrial({ source: settings, routes })
      // New fields the first time; the second time most events stay bytes.
      for (const round of [1, 2]) await trial.send(bodyOf(events, round))
      const stored = exactly(trial.rowsText(trial.source.token))
      expect(stored).toHaveLength(events.length * 2)
      for (const to of new Set(targets.slice(0, 3))) {
        const matchers = routes
          .filter((one) => one.target === to)
          .map(({ lql }) => createMatcher(parse(lql), { clock: { nowMs: () => NOW_MS } }))
        const expected = stored.filter((event) => matchers.some((matches) => matches(event))).map(({ id }) => id)
        expect(trial.rows(to.token).map(({ id }) => id)).toEqual(expected)
      }
    }),
    { numRuns: 150 },
  )
}, 60_000)

test('whatever the events and settings, an event that stayed bytes is stored like one that was built', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ events, settings }) => {
      const trial = createTrial({ source: settings })
      for (const round of [1, 2]) await trial.send(bodyOf(events, round))
      const stored = exactly(trial.rowsText()).map(({ id, ...event }) => event)
      expect(stored.slice(events.length)).toEqual(stored.slice(0, events.length))
    }),
    { numRuns: 150 },
  )
}, 60_000)
