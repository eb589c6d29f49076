import { expect, test } from 'vitest'
import { placeAt } from './place.ts'

test.each([
  ['', { kind: 'clause', typed: '' }],
  ['m.env:prod ', { kind: 'clause', typed: '' }],
  ['refund lev', { kind: 'clause', typed: 'lev' }],
  ['(-m.lev', { kind: 'clause', typed: 'm.lev' }],
  ['m.level:', { kind: 'value', path: 'm.level', operator: ':', typed: '' }],
  ['a -m.level:er', { kind: 'value', path: 'm.level', operator: ':', typed: 'er' }],
  ['m.tags:@>re', { kind: 'value', path: 'm.tags', operator: ':@>', typed: 're' }],
  ['m.status:(500,5', { kind: 'value', path: 'm.status', typed: '5' }],
  ['t:', { kind: 'times', typed: '' }],
  ['x t:>=la', { kind: 'times', typed: 'la' }],
  ['s:m.', { kind: 'field', typed: 'm.' }],
  ['c:', { kind: 'aggregates', typed: '' }],
  ['c:av', { kind: 'aggregates', typed: 'av' }],
  ['c:avg(m.', { kind: 'argument', isNumeric: true, typed: 'm.' }],
  ['c:countd(', { kind: 'argument', isNumeric: false, typed: '' }],
  ['c:count(*) c:group_by(t::h', { kind: 'periods', typed: 'h' }],
])('at the end of %j', (text, place) => {
  expect(placeAt(text, text.length)).toMatchObject({ ...place, from: text.length - place.typed.length })
})

test('only what stands before the place counts', () => {
  expect(placeAt('lev m.env:prod', 3)).toMatchObject({ kind: 'clause', typed: 'lev', from: 0 })
})
