import { expect, test } from 'vitest'
import { resolveLabels } from './labels.ts'

const LIST = 'app=shop,squad=@team,trace'

test.each([
  ['fixed values stand on their own', LIST, undefined, {}, null, { app: 'shop' }],
  ['a parameter gives its value', LIST, undefined, { team: 'blue' }, null, { app: 'shop', squad: 'blue' }],
  ['a parameter wins over the header', LIST, 'squad=red', { team: 'blue' }, null, { app: 'shop', squad: 'blue' }],
  ['the header fills in for a parameter', LIST, 'squad=red', {}, null, { app: 'shop', squad: 'red' }],
  ['the header wins over a fixed value', LIST, 'app=other', {}, null, { app: 'other' }],
  ['a bare key takes the header', LIST, 'trace=ab9', {}, null, { app: 'shop', trace: 'ab9' }],
  ['keys not on the list are ignored', LIST, 'unknown=1,__proto__=x', {}, null, { app: 'shop' }],
  ['no list, no labels', null, 'trace=1', {}, null, {}],
  ['a value may hold the sign', LIST, 'trace=a=b=c', {}, null, { app: 'shop', trace: 'a=b=c' }],
  ['what is no entry says nothing', LIST, ',,=,trace,=x', {}, null, { app: 'shop' }],
  ['blanks around entries do not count', ' app = shop , trace', ' trace = 7 ', {}, null, { app: 'shop', trace: '7' }],
  ['a requested version is a label', LIST, undefined, {}, 3, { app: 'shop', endpoint_version: '3' }],
  ['which nobody can override', 'endpoint_version', 'endpoint_version=99', {}, 3, { endpoint_version: '3' }],
  ['numbers of a JSON body are values too', LIST, undefined, { team: 7 }, null, { app: 'shop', squad: '7' }],
] as const)('%s', (_, allowed, header, values, version, expected) => {
  expect({ ...resolveLabels(allowed, { header, values, version }) }).toEqual(expected)
})
