import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFilterSet, createMatcher, type Filter, type FilterPath, parse, valuesAt } from './lql.ts'
import { eventsOf, flatten, formed, NOW_MS, schema } from './testing/events.ts'
import { filterOf } from './testing/queries.ts'

const clock = { nowMs: () => NOW_MS }

function hitsOf(filters: Filter[], event: object): number[] {
  const set = createFilterSet(filters, clock)
  const hits = [99]
  const at = (number: number): unknown =>
    only(set.paths[number]!, plain(valuesAt(event, set.paths[number]!.path.split('.'))))
  set.match({ at }, hits)
  return hits.sort((a, b) => a - b)
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  return Array.isArray(value) ? value.map(plain) : value
}

/** Any other text may stand for those that make no difference. */
function only({ texts }: FilterPath, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => only({ path: '', texts }, one))
  return typeof value === 'string' && texts !== null && !texts.has(value) ? '\0other' : value
}

const filter = (lql: string): Filter => parse(lql).filter!

const scene = schema.chain((fields) =>
  fc.record({
    events: eventsOf(fields),
    queries: fc.array(filterOf(flatten(fields)), { minLength: 1, maxLength: 12 }),
  }),
)

test('many filters asked at once answer like each alone', () => {
  fc.assert(
    fc.property(scene, ({ events, queries }) => {
      const filters = queries.flatMap((text) => parse(text).filter ?? [])
      for (const event of events.map((one) => formed(one, 'plain'))) {
        const alone = filters.flatMap((one, i) =>
          createMatcher({ from: null, selects: [], filter: one, chart: null }, { clock })(event) ? [i] : [],
        )
        expect(hitsOf(filters, event)).toEqual(alone)
      }
    }),
    { numRuns: 100 },
  )
})

/** Filters that have much in common are asked together, so these are made of few fields and few values. */
const word = fc.constantFrom('a', 'b', 'ab', 'a|b', '(', '1', '10')
const number = fc.constantFrom('1', '2', '10', '-3', '2.5')
const sign = fc.constantFrom('>', '>=', '<', '<=')
const clauseText = fc.oneof(
  word.map((text) => `"${text}"`),
  fc.tuple(sign, number).map(([sign, value]) => `n:${sign}${value}`),
  word.map((text) => `k:"${text}"`),
  fc.tuple(sign, word).map(([sign, text]) => `k:${sign}"${text}"`),
)
const ruleText = fc.array(clauseText, { minLength: 1, maxLength: 3 }).map((clauses) => clauses.join(' '))
const alike = fc.record({
  rules: fc.array(ruleText, { minLength: 2, maxLength: 20 }),
  events: fc.array(
    fc.record(
      {
        event_message: fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', '(', '1', '|') }), fc.integer()),
        n: fc.oneof(fc.integer({ min: -4, max: 11 }), word, fc.array(fc.integer({ min: 0, max: 11 })), fc.boolean()),
        k: fc.oneof(word, fc.array(word), fc.integer({ min: 0, max: 11 })),
      },
      { requiredKeys: [] },
    ),
    { minLength: 1, maxLength: 5 },
  ),
})

test('filters that share clauses, words and limits answer like each alone', () => {
  fc.assert(
    fc.property(alike, ({ rules, events }) => {
      const filters = rules.map(filter)
      for (const event of events) {
        const alone = rules.flatMap((text, i) => (createMatcher(parse(text), { clock })(event) ? [i] : []))
        expect(hitsOf(filters, event)).toEqual(alone)
      }
    }),
    { numRuns: 1_000 },
  )
})

test.each<[string, string[], object, number[]]>([
  [
    'a value is found as text, number or truth',
    ['a:5', 'b:5', 'x:true', 'y:true'],
    { a: 5, b: '5', x: true, y: 'true' },
    [0, 1, 2, 3],
  ],
  ['one element of a list is enough, and counts once', ['a:x', 'a:x OR a:y'], { a: ['y', 'x', 'x'] }, [0, 1]],
  ['names are found whatever their case', ['A:1', 'a:1', 'a:2'], { a: 1 }, [0, 1]],
  ['an integer beyond doubles', ['a:9007199254740993', 'a:9007199254740992'], { a: 9007199254740993n }, [0]],
  ['nothing equals what is missing', ['a:x', '-a:x', 'a:NULL'], {}, [1, 2]],
])('%s', (_, texts, event, hits) => expect(hitsOf(texts.map(filter), event)).toEqual(hits))

test('a pattern made to be slow looks at a bounded part of a long text', () => {
  const startedAt = performance.now()
  hitsOf([filter('~"[ab]*a[ab]{900}[^ab]"')], { event_message: 'ab'.repeat(400_000) })
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  expect(hitsOf([filter('~needle')], { event_message: `${'x'.repeat(50_000)}needle` })).toEqual([0])
})
