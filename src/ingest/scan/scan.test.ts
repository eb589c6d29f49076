import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SourceFields } from '../schema/source-fields.ts'
import { asStored, createTrial, NOW_US } from '../testing.ts'
import { Scan } from './scan.ts'

const LEGAL = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

/** Few names, so that events share fields; some need renaming, some differ only in case. */
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'host', 'metadata', 'message', 'id', 'timestamp', 'level', 'n1') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('A', 'a-b', 'a.b', '', '9x', '_unfit', '_unlisted', 'event_message', '__proto__'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
)
const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom('500', 'true', '2026-11-14T10:00:00Z', '1.5', null),
  fc.constantFrom(
    'number:1.0',
    'number:-0',
    'number:1e3',
    'number:1e999',
    'number:9007199254740993',
    'number:9223372036854775808',
    'number:1794740000000000000',
  ),
)
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.array(fc.dictionary(name, tie('value'), { maxKeys: 3 }), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}))
const event = fc.dictionary(name, anyValue, { maxKeys: 6 })
const events = fc.array(event, { minLength: 1, maxLength: 8 })

/** Texts that begin with `number:` stand for number literals that JavaScript would not print. */
const print = (list: unknown, space?: number): string =>
  JSON.stringify(list, null, space).replaceAll(/"number:([-.\de]+)"/g, '$1')

/** A setting that forces every event through the pipeline and changes none. */
const slowly = { source: { transform_copy_fields: 'no_such_field_anywhere:nowhere' } }

test('the scan and the pipeline store the same event', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      const fast = createTrial()
      const slow = createTrial(slowly)
      // Twice: the second time the fields are known, so most of it is scanned.
      for (const trial of [fast, slow]) for (let i = 0; i < 2; i++) await trial.send(print(list))
      const stored = (trial: typeof fast) => trial.rows().map(asStored).map(withoutOwnId)
      expect(stored(fast)).toEqual(stored(slow))
      expect(fast.schemas.all(fast.source.token)).toEqual(slow.schemas.all(slow.source.token))
    }),
    { numRuns: 300 },
  )
})

const withoutOwnId = (stored: Record<string, unknown>) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(String(stored.id)) ? { ...stored, id: 'ours' } : stored

test('every row is one line of JSON with legal names whose values fit the fields', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      const trial = createTrial()
      for (let i = 0; i < 2; i++) await trial.send(print(list, i))
      const types = trial.schemas.all(trial.source.token)
      for (const [path, type] of Object.entries(types)) {
        const isLeaf = !Object.keys(types).some((other) => other.startsWith(`${path}.`))
        expect(isLeaf, `${path} is ${type}`).toBe(!type.startsWith('object'))
      }
      for (const { e } of trial.rows()) {
        for (const [key, value] of Object.entries(e)) {
          if (!['id', 'timestamp', 'message', 'event_message'].includes(key)) assertFits(key, value, types)
        }
      }
    }),
    { numRuns: 300 },
  )
})

function assertFits(path: string, value: unknown, types: Record<string, string>): void {
  const type = types[path]
  expect(type, path).toBeDefined()
  expect(path.split('.').at(-1)).toMatch(LEGAL)
  if (type === 'object' || type === 'object[]') {
    for (const object of type === 'object' ? [value] : (value as unknown[])) {
      for (const [key, child] of Object.entries(object as object)) assertFits(`${path}.${key}`, child, types)
    }
    return
  }
  const values = type?.endsWith('[]') ? (value as unknown[]) : [value]
  for (const one of values) {
    if (type?.startsWith('integer')) expect(Number.isInteger(one), `${path} ${one}`).toBe(true)
    else expect(typeof one).toBe(type?.startsWith('float') ? 'number' : type?.replace('[]', ''))
  }
}

test('nothing that was sent disappears', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      const trial = createTrial()
      const { refused } = await trial.send(JSON.stringify(list))
      const rows = trial.rows()
      const kept = list.filter((_, i) => !refused.some(({ index }) => index === i))
      expect(rows).toHaveLength(kept.length)
      kept.forEach((sent, i) => {
        const { id, ts, e } = rows[i]!
        const found = JSON.stringify([id, e])
        for (const text of scalarsOf(sent, true)) {
          const quoted = JSON.stringify(JSON.stringify(text)).slice(1, -1).slice(2, -2)
          const isThere =
            found.includes(JSON.stringify(text).slice(1, -1)) || found.includes(quoted) || String(ts) !== String(NOW_US)
          expect(isThere, `${text} in ${found}`).toBe(true)
        }
      })
    }),
    { numRuns: 300 },
  )
})

/** The scalars of an event as text. An empty id carries nothing. */
function scalarsOf(value: unknown, isTop = false): string[] {
  if (value === null) return []
  if (typeof value !== 'object') return [Object.is(value, -0) ? '0' : String(value).toWellFormed()]
  return Object.entries(value).flatMap(([key, child]) => (isTop && key === 'timestamp' ? [] : scalarsOf(child)))
}

test('the scan accepts nothing that JSON.parse refuses', () => {
  const fields = new SourceFields({
    s: 'string',
    i: 'integer',
    f: 'float',
    b: 'boolean',
    l: 'string[]',
    o: 'object',
    'o.n': 'integer',
    r: 'object[]',
    'r.k': 'string',
  })
  const good =
    '{"id":"x1","timestamp":"2026-11-14T10:00:00.5Z","s":"a\\n\\u00e9\\ud83d\\ude00","i":-12,"f":1.5e3,"b":true,"l":["x","y"],"o":{"n":1},"r":[{"k":"v"},{"k":"w"}]}'
  const scan = (text: Buffer) => new Scan(text, fields, NOW_US, 0).event(0)
  expect(scan(Buffer.from(good))).toBe(Buffer.byteLength(good))
  let accepted = 0
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.nat(good.length - 1),
          fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:\\u0e.-1tn\n '))),
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
      fc.constantFrom('set', 'insert', 'cut'),
      (changes, how) => {
        let bytes = Buffer.from(good)
        for (const [at, byte] of changes) {
          if (how === 'set') bytes[at] = byte
          else if (how === 'insert')
            bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)])
          else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
        }
        const end = scan(bytes)
        if (end < 0) return
        accepted++
        const text = bytes.toString('utf8', 0, end)
        const parsed = JSON.parse(text)
        expect(text).not.toMatch(/[\n\r]/)
        expect(Object.keys(parsed).length).toBe([...text.matchAll(/"(?:id|timestamp|s|i|f|b|l|o|r)"[ \t]*:/g)].length)
      },
    ),
    { numRuns: 5000 },
  )
  expect(accepted).toBeGreaterThan(100)
})
