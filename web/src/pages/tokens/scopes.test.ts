import { expect, test } from 'vitest'
import { readScopes, scopesText } from './scopes.ts'

test.each([
  [{ management: false, ingest: 'all', query: 'none' }, 'ingest'],
  [{ management: false, ingest: ['a', 'b'], query: 'all' }, 'ingest:source:a ingest:source:b query'],
  [{ management: false, ingest: 'none', query: ['e'] }, 'query:endpoint:e'],
  [{ management: true, ingest: 'all', query: 'all' }, 'management'],
  [{ management: false, ingest: [], query: 'none' }, ''],
] as const)('%j is %s', (choice, text) => {
  const { ingest, query } = choice
  const own = (area: typeof ingest | typeof query) => (area === 'all' || area === 'none' ? area : [...area])
  expect(scopesText({ ...choice, ingest: own(ingest), query: own(query) })).toBe(text)
})

test('scopes are read back with what they are for', () => {
  expect(readScopes('ingest:source:a query management')).toEqual([
    { word: 'ingest:source:a', kind: 'ingest', target: 'a' },
    { word: 'query', kind: 'query', target: null },
    { word: 'management', kind: 'management', target: null },
  ])
})
