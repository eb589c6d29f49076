import { expect, test } from 'vitest'
import { createShape } from './shape.ts'

test.each<[string, object[], Record<string, string>, [string, string][]]>([
  ['text that looks like a date stays text', [{ day: '2026-11-15' }], {}, [['day', 'VARCHAR']]],
  ['integers widen to floats', [{ n: 1 }, { n: 1.5 }], {}, [['n', 'DOUBLE']]],
  ['large integers are text on the way', [{ n: 1 }, { n: '9007199254740993' }], { n: 'integer' }, [['n', 'BIGINT']]],
  ['whole floats are floats', [{ n: 1 }], { n: 'float' }, [['n', 'DOUBLE']]],
  [
    'objects of all events come together',
    [{ o: { a: 1 } }, { o: { b: true } }],
    {},
    [['o', 'STRUCT("a" BIGINT, "b" BOOLEAN)']],
  ],
  ['lists', [{ l: ['a'] }, { l: [{ x: 1 }] }], {}, [['l', 'JSON[]']]],
  ['names are quoted', [{ o: { 'a"b': 1 } }], {}, [['o', 'STRUCT("a""b" BIGINT)']]],
])('%s', (_, events, schema, columns) => {
  const shape = createShape(schema)
  for (const event of events) shape.add(event)
  expect(shape.columns()).toEqual(columns)
})
