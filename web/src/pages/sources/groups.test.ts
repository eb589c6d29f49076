import { expect, test } from 'vitest'
import type { SourceRecord } from '../../api/records.ts'
import { groupSources } from './groups.ts'

const source = (name: string, fields: Partial<SourceRecord> = {}): SourceRecord =>
  ({ name, token: name, description: null, service_name: null, favorite: false, ...fields }) as SourceRecord

const SOURCES = [
  source('zeta', { service_name: 'shop' }),
  source('web', { description: 'the front door' }),
  source('alpha', { service_name: 'shop', favorite: true }),
  source('beta', { service_name: 'shop' }),
  source('db', { service_name: 'Core' }),
]

const shape = (filter: string): [string, string[]][] =>
  groupSources(SOURCES, filter).map(({ name, rows }) => [name, rows.map((member) => member.name)])

test('favourites come first, then services by name, then the rest', () => {
  expect(shape('')).toEqual([
    ['Favourites', ['alpha']],
    ['Core', ['db']],
    ['shop', ['beta', 'zeta']],
    ['Other sources', ['web']],
  ])
})

test.each([
  ['a piece of a name, in any case', 'ETA', ['beta', 'zeta']],
  ['a description', 'front', ['web']],
  ['a service', 'core', ['db']],
  ['nothing at all', 'nope', []],
])('the filter finds %s', (_, filter, names) => expect(shape(filter).flatMap(([, found]) => found)).toEqual(names))
