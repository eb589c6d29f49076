/**
 * The same events for every engine: values of each type, missing ones, nested and listed ones, texts that are hard to
 * quote or to order. Made by arithmetic, so that they are the same each time.
 */
const START_MS = Date.UTC(2025, 2, 1, 22, 15)
const COUNT = 300

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!

const LEVELS = ['info', 'info', 'warning', 'error', 'debug', 'info', 'Error'] as const
const STATUSES = [200, 200, 201, 301, 404, 500, 503, 200, 204] as const
const PATHS = ['/', '/cart', '/pay', '/ütf/√', "/it's", '/a%20b', '/x_y'] as const
const USERS = ['ines', 'omar', 'zoé', 'Åsa', 'bob "b" \\ o\'neil', '日本'] as const
const AGENTS = ['curl/8.1', 'Mozilla/5.0 (X11)', ''] as const

function web(i: number): object {
  const status = pick(STATUSES, i * 7)
  const ms = ((i * 7919) % 20_000) / 8 - (i % 50 === 0 ? 100 : 0)
  return {
    id: `w${String(i).padStart(3, '0')}`,
    timestamp: (START_MS + i * 2_820_000) * 1000 + (i % 7 === 0 ? 250_001 * i : 0),
    ...(i % 29 === 0 ? {} : { message: `${i % 3 ? 'GET' : 'POST'} ${pick(PATHS, i)} ${status} in ${ms}ms\nid=${i}` }),
    status,
    ms,
    ok: status < 400,
    host: `fjord-${i % 4}`,
    ...(i % 4 === 1 ? {} : { level: pick(LEVELS, i) }),
    ...(i % 5 === 2 ? { region: i % 2 ? 'eu' : 'us' } : {}),
    ...(i % 11 === 0 ? { bytes: i % 2 ? '9007199254740993' : -i } : { bytes: i * 1000 }),
    ...(i % 3 === 0 ? { tags: ['cart', 'eu', `t${i % 5}`].slice(0, (i % 4) + 1) } : {}),
    ...(i % 6 === 0 ? { nums: [i, -i, i * 2] } : {}),
    ...(i % 10 === 3 ? {} : { metadata: metadata(i) }),
  }
}

function metadata(i: number): object {
  return {
    user: pick(USERS, i),
    retry: i % 2 === 0,
    ...(i % 7 === 6 ? {} : { request: request(i) }),
    ...(i % 4 === 0 ? { geo: { city: pick(['Oslo', 'Málaga', 'Łódź'], i), lat: 36 + (i % 30) * 0.75 } } : {}),
    ...(i % 5 === 0 ? { items: items(i) } : {}),
  }
}

const request = (i: number): object => ({
  method: i % 3 ? 'GET' : 'POST',
  path: pick(PATHS, i),
  ...(i % 2 ? { headers: { agent: pick(AGENTS, i), size: i * 10 } } : {}),
})

const items = (i: number): object[] =>
  Array.from({ length: (i % 3) + 1 }, (_, n) => ({
    sku: `S-${(i + n) % 9}`,
    qty: n + 1,
    ...(n === 1 ? { price: 2.5 * i } : {}),
  }))

const texts = [
  {
    id: 'x1',
    num: '42',
    frac: '2.50',
    flag: 'true',
    stamp: '2025-03-03T08:15:30+02:00',
    csv: 'a,b,,c',
    pad: '  a b ',
    uni: 'Straße ΑΒΓ',
  },
  { id: 'x2', num: '-7', frac: '1e3', flag: 'FALSE', stamp: '2025-03-03', csv: 'single', pad: 'xxaxx', uni: 'ÉCOLE' },
  { id: 'x3', num: '2.5', frac: 'abc', flag: 'maybe', stamp: 'no time', csv: 'ends,', uni: '日本語' },
  { id: 'x4', num: '99999999999999999999', frac: '-0.125', flag: '1', stamp: '2025-13-45', csv: '', uni: 'e\u0301' },
  { id: 'x5', num: '9223372036854775807', frac: ' 3 ', stamp: '2025-03-03 08:15:30.123456', csv: ',', uni: 'ﬁn' },
].map((fields, i) => ({
  ...fields,
  timestamp: (START_MS + i * 60_000) * 1000,
  message: `window ${i} by crew${i}: 10 doors, window ${i * 11}`,
  amount: [2.5, -2.5, 0.5, 1234.5678, -0.499][i],
  whole: [7, -8, 0, 9_000_000_000, 3][i],
  quote: `it's "here" \\ ${i}`,
}))

const notes = [
  '{"action":"login","user":{"id":7,"name":"zoé"},"roles":["a","b"],"ok":true,"ms":12.5,"none":null}',
  '{"action":"logout","user":{"id":8},"roles":[],"ms":"slow"}',
  'no json at all',
  '[1,2,{"a":"b"}]',
  '{"action":5,"a.b":{"c d":[1,[2,3]]}}',
].map((message, i) => ({
  id: `n${i}`,
  timestamp: (START_MS + i * 60_000) * 1000,
  message,
  kind: i % 2 ? 'odd' : 'even',
}))

const builds = [
  {
    id: 'k1',
    metadata: [
      { step: 'build', secs: 31.5 },
      { step: 'test', secs: 200 },
    ],
  },
  { id: 'k2', message: 'nothing' },
  { id: 'k3', metadata: [{ step: 'ship', logs: ['one', 'two'] }] },
].map((event, i) => ({ ...event, timestamp: (START_MS + i * 3_600_000) * 1000 }))

const orders = Array.from({ length: 12 }, (_, i) => ({
  ...{
    id: `o${i}`,
    timestamp: (START_MS + i * 600_000) * 1000,
    order_no: i,
    customer: pick(USERS, i),
    total: i * 12.25,
  },
}))
const payments = Array.from({ length: 15 }, (_, i) => ({
  ...{
    id: `p${i}`,
    timestamp: (START_MS + i * 500_000) * 1000,
    order_no: (i * 5) % 16,
    paid: i * 3.5,
    method: i % 2 ? 'card' : 'cash',
  },
}))

export const EVENTS: Readonly<Record<string, object[]>> = {
  web: Array.from({ length: COUNT }, (_, i) => web(i)),
  ...{ texts, notes, builds, orders, payments },
}
