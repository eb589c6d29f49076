/** Log records take one of three ways, by what their source asks for; what is stored is the same. */
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { ProtobufWriter } from '../../../base/protobuf/writer.ts'
import { Intake } from '../../intake.ts'
import { asStored, createTrial, NOW_US } from '../../testing.ts'
import type { Format } from '../format.ts'
import { formats } from '../formats.ts'

afterEach(() => void vi.restoreAllMocks())

const HEADERS = { 'content-type': 'application/x-protobuf' }
const format = formats['otlp-logs']

type Way = { format: Format; drop: string | null }

/** Nothing looks at the events: they are written against the fields of the source. */
const fitted: Way = { format, drop: null }
/** A filter looks at each: they are written, and scanned. It drops none, as no text is that long. */
const scanned: Way = { format, drop: '"this is in no message at all"' }
/** A request that gives its events a time is never written; one that is no time changes nothing else. */
const built: Way = { format: { ...format, time: () => 'no time' }, drop: null }

/** Each body twice: the second time its fields are known. */
async function stored({ format, drop }: Way, bodies: Buffer[]) {
  const trial = createTrial({ source: { drop_lql_string: drop } })
  const outcomes: unknown[] = []
  for (const body of bodies.flatMap((body) => [body, body])) {
    const sent = trial.accept({ source: trial.source, format, body, headers: HEADERS })
    outcomes.push(await sent.catch((error: Error) => error.message))
  }
  return {
    events: trial
      .rows()
      .map(asStored)
      .map(({ id: _, ...event }) => event),
    outcomes,
    rejects: trial.rejects,
    fields: trial.schemas.all(trial.source.token),
  }
}

async function expectAlike(bodies: Buffer[]): Promise<void> {
  const expected = await stored(built, bodies)
  expect(await stored(fitted, bodies)).toEqual(expected)
  expect(await stored(scanned, bodies)).toEqual(expected)
}

type Write = (into: ProtobufWriter) => unknown

const anyText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('', 'a', 'GET /', 'said "hi"', 'a\\b\n\u0001', 'ümlaut 😀', 'x'.repeat(200)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)
const text: fc.Arbitrary<Write> = anyText.map((value) => (any) => any.text(1, value))
const integer = fc.oneof(
  fc.constantFrom(0n, 7n, -7n, 2n ** 31n, 999_999_999_999_999n, -999_999_999_999_999n, 10n ** 17n, 2n ** 63n - 1n),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
)
const double = fc.oneof(
  fc.constantFrom(0, -0, 2, 0.1, -1.5, 1e21, 1e300, 5e-324, Number.NaN, Number.NEGATIVE_INFINITY),
  fc.double(),
)
const scalar: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: text },
  {
    weight: 2,
    arbitrary: integer.map(
      (value): Write =>
        (any) =>
          any.integer(3, value),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (value): Write =>
        (any) =>
          any.boolean(2, value),
    ),
  },
  {
    weight: 1,
    arbitrary: double.map(
      (value): Write =>
        (any) =>
          any.double(4, value),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Write>(() => {}) },
)
const list = fc.array(scalar, { maxLength: 3 }).map(
  (values): Write =>
    (any) =>
      any.message(5, (inner) => values.forEach((one) => void inner.message(1, one))),
)
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: list },
  {
    weight: 1,
    arbitrary: list.map(
      (inner): Write =>
        (any) =>
          any.message(5, (l) => void l.message(1, inner)),
    ),
  },
  {
    weight: 1,
    arbitrary: scalar.map(
      (inner): Write =>
        (any) =>
          any.message(6, (l) => void pair(l, 1, 'k', inner)),
    ),
  },
)

const pair = (into: ProtobufWriter, field: number, key: string, write: Write): unknown =>
  into.message(field, (inner) => void inner.text(1, key).message(2, (any) => void write(any)))

/** Few names, so that records share fields and disagree about them; some differ only in case, or once they are legal. */
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'http.status', 'n1') },
  { weight: 1, arbitrary: fc.constantFrom('A', '_http_status', '', 'ü', 'a-b', 'x'.repeat(130), '_unfit') },
)
const attribute = fc.tuple(key, value).map(
  ([name, write]): Write =>
    (log) =>
      pair(log, 6, name, write),
)

const time = fc.constantFrom(
  BigInt(NOW_US) * 1000n,
  BigInt(NOW_US) * 1000n - 1n,
  BigInt(NOW_US) * 1000n + 7_200_000_000_000n,
  0n,
  1n,
  2n ** 64n - 1n,
)
const id = fc.constantFrom('', '00', '0a', '5b8efff798038103d269b633813fc60c', '00000000000000000000000000000000')
const field: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: value }).map((any): Write => (log) => log.message(5, (body) => void any(body))) }, // biome-ignore format: one line
  { weight: 4, arbitrary: attribute },
  {
    weight: 1,
    arbitrary: time.map(
      (nanos): Write =>
        (log) =>
          log.fixed64(1, nanos),
    ),
  },
  {
    weight: 1,
    arbitrary: time.map(
      (nanos): Write =>
        (log) =>
          log.fixed64(11, nanos),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 9, 24, 300).map(
      (number): Write =>
        (log) =>
          log.integer(2, number),
    ),
  },
  {
    weight: 1,
    arbitrary: anyText.map(
      (level): Write =>
        (log) =>
          log.text(3, level),
    ),
  },
  {
    weight: 1,
    arbitrary: anyText.map(
      (name): Write =>
        (log) =>
          log.text(12, name),
    ),
  },
  {
    weight: 1,
    arbitrary: id.map(
      (hex): Write =>
        (log) =>
          log.bytes(9, Buffer.from(hex, 'hex')),
    ),
  },
  {
    weight: 1,
    arbitrary: id.map(
      (hex): Write =>
        (log) =>
          log.bytes(10, Buffer.from(hex, 'hex')),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 3, 200).map(
      (count): Write =>
        (log) =>
          log.integer(7, count),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Write>((log) => log.text(200, 'of a later version')) },
)
/** In any order, and some twice. */
const scrambled = fc.array(field, { maxLength: 7 })
/** As every library writes them. */
const ordinary = fc
  .tuple(time, anyText, text, fc.array(attribute, { maxLength: 4 }), id)
  .map(([nanos, level, body, attributes, trace]): Write[] => [
    (log) =>
      log
        .fixed64(1, nanos)
        .text(3, level)
        .message(5, (any) => void body(any)),
    ...attributes,
    (log) => log.bytes(9, Buffer.from(trace, 'hex')),
  ])
const record = fc.oneof({ weight: 3, arbitrary: ordinary }, { weight: 1, arbitrary: scrambled })
const group = fc.record({
  resource: fc.array(fc.tuple(key, value), { maxLength: 2 }),
  scope: fc.constantFrom('', 'lib', 'ü'),
  records: fc.array(record, { maxLength: 4 }),
})
const body = fc.array(group, { minLength: 1, maxLength: 2 }).map(encoded)

type Group = { resource: [string, Write][]; scope: string; records: Write[][] }

function encoded(groups: Group[]): Buffer {
  const writer = new ProtobufWriter(1024)
  for (const { resource, scope, records } of groups) {
    writer.message(1, (logs) => {
      logs.message(1, (inner) => resource.forEach(([name, write]) => void pair(inner, 1, name, write)))
      logs.message(2, (scoped) => {
        scoped.message(1, (inner) => void inner.text(1, scope))
        for (const writes of records) scoped.message(2, (log) => writes.forEach((write) => void write(log)))
      })
    })
  }
  return Buffer.from(writer.finish())
}

test('any records, one request after the other', () =>
  fc.assert(fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 3 }), expectAlike), { numRuns: 150 }))

test('any change of their bytes', () =>
  fc.assert(
    fc.asyncProperty(
      body,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      async (whole, changes) => {
        const changed = Buffer.from(whole)
        for (const [at, byte] of changes) changed[at % changed.length] = byte
        await expectAlike([whole, changed])
      },
    ),
    { numRuns: 150 },
  ))

const usual: Write[] = [
  (log) =>
    log
      .fixed64(1, BigInt(NOW_US) * 1000n)
      .integer(2, 9)
      .text(3, 'info'),
  (log) => log.message(5, (any) => void any.text(1, 'said "hi"')),
  (log) => pair(log, 6, 'http.status', (any) => any.integer(3, 200)),
  (log) => pair(log, 6, 'took', (any) => any.double(4, 2)),
  (log) => pair(log, 6, 'ok', (any) => any.boolean(2, true)),
  (log) => pair(log, 6, 'tags', (any) => any.message(5, (l) => void l.message(1, (one) => void one.text(1, 'x')))),
  (log) => log.bytes(9, Buffer.from('5b8efff798038103d269b633813fc60c', 'hex')).fixed64(11, BigInt(NOW_US) * 1000n),
]
const request = (...records: Write[][]): Buffer =>
  encoded([{ resource: [['service.name', (any) => any.text(1, 'shop')]], scope: 'lib', records }])

test('a record that is cut anywhere', async () => {
  const writer = new ProtobufWriter()
  for (const write of usual) write(writer)
  const whole = writer.finish()
  for (let length = 0; length <= whole.length; length++) {
    const cut = new ProtobufWriter()
    cut.message(1, (logs) => void logs.message(2, (scoped) => void scoped.bytes(2, whole.subarray(0, length))))
    await expectAlike([request(usual), Buffer.from(cut.finish())])
  }
})

test('whole numbers in a field of floats, as long as they come', async () => {
  const withValue = (write: Write): Write[] => [(log) => log.message(5, (any) => void any.text(1, 'm')), (log) => pair(log, 6, 'a', write)] // biome-ignore format: one line
  const numbers = Array.from({ length: 19 }, (_, i) => 10n ** BigInt(i) - 1n).flatMap((one) => [one, -one])
  await expectAlike([
    request(withValue((any) => any.double(4, 0.5))),
    request(...numbers.map((one) => withValue((any) => any.integer(3, one)))),
  ])
})

test('records whose fields are known are never built', async () => {
  const made = vi.spyOn(Intake.prototype, 'made')
  for (const way of [fitted, scanned]) {
    made.mockClear()
    const { events } = await stored(way, [request(usual, usual)])
    expect(events).toHaveLength(4)
    expect(events[3]).toEqual(events[0])
    // The first one brings the fields.
    expect(made).toHaveBeenCalledTimes(1)
  }
})
