/** Search from outside: what its answers hold, that pages hold under load, and that bad questions get good answers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './support/service.ts'

type Json = ReturnType<typeof JSON.parse>

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.remove())

async function call(
  path: string,
  body?: object,
  method = body ? 'POST' : 'GET',
): Promise<{ status: number; json: Json }> {
  const answer = await service.fetch(path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  })
  const text = await answer.text()
  return { status: answer.status, json: text ? JSON.parse(text) : null }
}

let made = 0
async function newSource(fields: object = {}): Promise<{ token: string; url: string }> {
  const { json } = await call('/api/sources', { name: `searched ${++made}`, ...fields })
  return { token: json.token, url: `/api/sources/${json.token}` }
}

async function send(token: string, events: object[]): Promise<void> {
  expect((await call(`/api/logs?source=${token}`, { batch: events })).status).toBe(200)
}

const get = (url: string, query: Record<string, string | number> = {}): ReturnType<typeof call> =>
  call(`${url}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`)

const idsOf = ({ json }: { json: Json }): string[] => json.events.map(({ id }: { id: string }) => id)

const nowMs = Date.now()
const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString()

test('a page holds whole events, newest first, with its canonical text and its range', async () => {
  const { token, url } = await newSource()
  await send(token, [
    { id: 'a', timestamp: ago(30), message: 'one', metadata: { n: 1, tags: ['x'] } },
    { id: 'b', timestamp: ago(20), metadata: { n: 2 } },
    { id: 'c', timestamp: ago(10), message: 'three' },
  ])
  const { status, json } = await get(`${url}/search`, { lql: 'NOT  metadata.n:2' })
  expect(status).toBe(200)
  const us = (text: string): number => Date.parse(text) * 1000
  expect(json).toEqual({
    events: [
      { id: 'c', timestamp: us(ago(10)), event_message: 'three' },
      { id: 'a', timestamp: us(ago(30)), event_message: 'one', metadata: { n: 1, tags: ['x'] } },
    ],
    next: null,
    lql: '-m.n:2',
    range: [expect.any(Number), expect.any(Number)],
  })
  expect(json.range[1] - json.range[0]).toBeCloseTo(7 * 86_400_000_000, -6)
  const shown = await get(`${url}/search`, {
    lql: 's:m.n@count s:m.tags t:last@1h',
    limit: 1,
    before: `${us(ago(10))}:c`,
  })
  expect(shown.json.events).toEqual([{ id: 'b', timestamp: us(ago(20)), event_message: null, count: 2 }])
})

test('pages neither skip nor repeat while events arrive, late ones included', async () => {
  const { token, url } = await newSource()
  const batch = (from: number): object[] =>
    Array.from({ length: 200 }, (_, i) => ({
      id: `e${from + i}`,
      timestamp: ago(60 + (((from + i) * 7) % 50)),
      metadata: { n: from + i },
    }))
  await send(token, batch(0))
  await send(token, batch(200))
  const seen: string[] = []
  let next: string | null = null
  for (let sent = 400; ; sent += 200) {
    const page = await get(`${url}/search`, { limit: 37, ...(next === null ? {} : { before: next }) })
    seen.push(...idsOf(page))
    next = page.json.next
    if (next === null) break
    if (sent < 1_000) await send(token, batch(sent))
  }
  expect(new Set(seen).size).toBe(seen.length)
  for (let i = 0; i < 400; i++) expect(seen).toContain(`e${i}`)
})

test('events after a place come in turn, up to the newest', async () => {
  const { token, url } = await newSource()
  await send(
    token,
    ['a', 'b', 'c', 'd'].map((id, i) => ({ id, timestamp: ago(50 - i) })),
  )
  const first = await get(`${url}/search`, { limit: 2, after: `${(nowMs - 50_000) * 1000}:a` })
  expect(idsOf(first)).toEqual(['c', 'b'])
  const second = await get(`${url}/search`, { limit: 2, after: first.json.next })
  expect([idsOf(second), second.json.next]).toEqual([['d'], null])
})

test('times without an offset are those of the zone', async () => {
  const { token, url } = await newSource({ retention_days: 3650 })
  await send(token, [
    { id: 'a', timestamp: '2025-06-01T01:00:00+02:00' },
    { id: 'b', timestamp: '2025-06-01T01:00:00Z' },
  ])
  expect(idsOf(await get(`${url}/search`, { lql: 't:2025-06-01', tz: 'Europe/Berlin' }))).toEqual(['b', 'a'])
  expect(idsOf(await get(`${url}/search`, { lql: 't:2025-06-01' }))).toEqual(['b'])
})

test('a chart fills its gaps and says what a count is made of', async () => {
  const { token, url } = await newSource({ retention_days: 3650 })
  await send(token, [
    { timestamp: '2025-06-01T10:00:01Z', metadata: { level: 'error' } },
    { timestamp: '2025-06-01T10:00:02Z', metadata: { level: 'WARN' } },
    { timestamp: '2025-06-01T10:02:00Z', metadata: { level: 'purple' } },
    { timestamp: '2025-06-01T10:02:01Z' },
  ])
  const lql = 't:2025-06-01T10:00:00Z..2025-06-01T10:02:59Z'
  const minute = (n: number): number => Date.UTC(2025, 5, 1, 10, n) * 1000
  expect((await get(`${url}/search/chart`, { lql })).json).toMatchObject({
    period: 'minute',
    lql: 't:2025-06-01T10:{00..02}:{00..59}Z c:count(*) c:group_by(t::minute)',
    buckets: [
      { timestamp: minute(0), value: 2, warning: 1, error: 1, other: 0 },
      { timestamp: minute(1), value: 0, warning: 0, error: 0, other: 0 },
      { timestamp: minute(2), value: 2, warning: 0, error: 0, other: 2 },
    ],
    breakdown: { field: 'metadata.level', keys: ['warning', 'error', 'other'] },
  })
})

test('facets count values, elements of lists too, and are exact on little data', async () => {
  const { token, url } = await newSource()
  await send(
    token,
    Array.from({ length: 60 }, (_, i) => ({
      message: i % 2 ? 'odd' : 'even',
      metadata: { level: i % 3 ? 'info' : 'error', n: i % 5, items: [{ sku: 'a' }, { sku: `s${i % 2}` }] },
    })),
  )
  const { json } = await get(`${url}/search/facets`, { lql: 'odd', fields: 'm.level, m.items.sku,m.n', values: 2 })
  expect(json).toMatchObject({ total: 30, approximate: false, lql: 'odd' })
  expect(json.facets).toEqual([
    {
      field: 'm.level',
      values: [
        { value: 'info', count: 20 },
        { value: 'error', count: 10 },
      ],
      more: false,
    },
    {
      field: 'm.items.sku',
      values: [
        { value: 'a', count: 30 },
        { value: 's1', count: 30 },
      ],
      more: false,
    },
    {
      field: 'm.n',
      values: [
        { value: 0, count: 6 },
        { value: 1, count: 6 },
      ],
      more: true,
    },
  ])
  expect((await get(`${url}/search/facets`)).json.facets).toHaveLength(3)
})

test('an event is found by its id, whatever that holds, with its neighbours on both sides', async () => {
  const { token, url } = await newSource()
  const odd = `a/b?c#d%e'f"g ü ${'☃'.repeat(70)}`
  await send(token, [
    ...Array.from({ length: 120 }, (_, i) => ({ id: `e${String(i).padStart(3, '0')}`, timestamp: ago(200 - i) })),
    { id: odd, timestamp: ago(500), message: 'odd one' },
  ])
  const { json } = await get(`${url}/events/e060/context`)
  expect(json.event.id).toBe('e060')
  const ids = (list: { id: string }[]): string[] => list.map(({ id }) => id)
  const expected = Array.from({ length: 120 }, (_, i) => `e${String(i).padStart(3, '0')}`)
  expect([ids(json.before), ids(json.after)]).toEqual([expected.slice(10, 60), expected.slice(61, 111)])
  expect(await get(`${url}/events/${encodeURIComponent(odd)}`)).toMatchObject({ status: 200, json: { id: odd } })
  expect((await get(`${url}/events/${encodeURIComponent(odd)}/context`)).json.before).toEqual([])
  for (const path of ['nothing', 'nothing/context', 'x'.repeat(700)])
    expect(await get(`${url}/events/${path}`)).toMatchObject({ status: 404, json: { error: expect.any(String) } })
  expect((await get(`${url}/events/e060`, { timestamp: 1 })).status).toBe(200)
})

test('the default search stands in for an empty one, and suggested keys are asked for', async () => {
  const { token, url } = await newSource({ default_search_lql: 'm.env:prod' })
  await send(token, [
    { id: 'a', metadata: { env: 'prod', user: 7 } },
    { id: 'b', metadata: { env: 'dev', user: 7 } },
  ])
  expect(idsOf(await get(`${url}/search`))).toEqual(['a'])
  expect(idsOf(await get(`${url}/search`, { lql: ' ' }))).toEqual(['a'])
  expect(idsOf(await get(`${url}/search`, { lql: 's:*' })).sort()).toEqual(['a', 'b'])

  await call(url, { suggested_keys: 'm.user, m.env' }, 'PATCH')
  for (const path of ['search', 'search/chart', 'search/facets']) {
    expect(await get(`${url}/${path}`)).toMatchObject({ status: 409, json: { missing_keys: ['m.user'] } })
    expect((await get(`${url}/${path}`, { force: 'true' })).status).toBe(200)
    expect((await get(`${url}/${path}`, { lql: 'm.user:7 m.env:dev' })).status).toBe(200)
  }
  await call(url, { suggested_keys: 'm.user!' }, 'PATCH')
  expect(await get(`${url}/search`, { force: 'true' })).toMatchObject({
    status: 409,
    json: { missing_keys: ['m.user'] },
  })

  const gone = await newSource({ default_search_lql: 'm.nothing:1' })
  const refused = await get(`${gone.url}/search`)
  expect(refused).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('default search'), position: 0 },
  })
})

test('searches are saved in canonical form, once, and go with their source', async () => {
  const { url } = await newSource()
  const saved = `${url}/saved-searches`
  const first = await call(saved, { name: 'slow', lql: 'metadata.ms:>100   timeout', tailing: false })
  const record = { id: expect.any(Number), name: 'slow', lql: 'timeout m.ms:>100', tailing: false }
  expect(first).toEqual({ status: 201, json: record })
  expect((await call(saved, { lql: 'x' })).json).toMatchObject({ name: 'x', tailing: true })
  expect((await call(saved)).json).toEqual([first.json, expect.objectContaining({ name: 'x' })])
  for (const [body, errors] of [
    [{ name: 'slow', lql: 'y' }, { name: ['has already been taken'] }],
    [{ name: 'again', lql: 'm.ms:>100 AND timeout' }, { lql: ['is saved already'] }],
    [{ name: ' ', lql: 'z' }, { name: ["can't be blank"] }],
    [{ lql: 'z', colour: 1 }, { colour: ['is not a known field'] }],
    [{ name: 'x' }, { lql: ["can't be blank"] }],
  ] as const)
    expect(await call(saved, body)).toMatchObject({ status: 422, json: { errors } })
  expect(await call(saved, { name: 'bad', lql: 'ok "open' })).toMatchObject({
    status: 422,
    json: { errors: { lql: [expect.stringContaining('position 3')] }, position: 3 },
  })
  expect((await call(`${saved}/${first.json.id}`, undefined, 'DELETE')).status).toBe(204)
  for (const id of [first.json.id, 'x', 0, 99999999999])
    expect((await call(`${saved}/${id}`, undefined, 'DELETE')).status).toBe(404)
})

test('the editor is told what fits where the text stands', async () => {
  const { token, url } = await newSource()
  await send(token, [{ metadata: { level: 'error', ms: 4 } }, { metadata: { level: 'needs quotes' } }])
  await call(`${url}/saved-searches`, { name: 'my errors', lql: 'm.level:error' })
  const texts = async (lql: string): Promise<string[]> => {
    const { json } = await get(`${url}/suggest`, { lql })
    return json.items.map(({ text }: { text: string }) => text)
  }
  expect(await texts('')).toEqual(expect.arrayContaining(['m.level:error', 'm.level:', 'm.ms:', 't:', 'c:']))
  expect(await texts('my')).toEqual(['m.level:error'])
  expect(await texts('x lev')).toEqual(['m.level:'])
  expect(await texts('m.level:')).toEqual(expect.arrayContaining(['error', '"needs quotes"', '~', 'NULL']))
  expect(await texts('m.level:"ne')).toEqual(['"needs quotes"'])
  expect(await texts('c:avg(')).toEqual(['m.ms)'])
  expect(await texts('t:this@')).toContain('this@hour')
  expect((await get(`${url}/suggest`, { lql: '((("' })).status).toBe(200)
})

test.each<[string, Record<string, string | number>, object]>([
  ['an open quote', { lql: 'ok "open' }, { position: 3, found: '"open', expected: expect.any(String) }],
  ['an unknown field', { lql: 'm.levle:x' }, { position: 0, suggestion: 'm.level' }],
  ['a value of another type', { lql: 'm.ms:abc' }, { position: 5 }],
  ['a bad expression', { lql: '~"(a"' }, { position: 1 }],
  ['an impossible day', { lql: 't:2025-02-30' }, { position: 2 }],
  ['another table', { lql: 'x f:other' }, { position: 2 }],
  ['a name that is taken', { lql: 's:m.ms@id' }, { position: 0 }],
  ['too long a text', { lql: 'a'.repeat(10_001) }, { position: 10_000, expected: 'at most 10000 characters' }],
  ['too many clauses', { lql: 'a '.repeat(1_001) }, { position: 2_000 }],
  ['too deep groups', { lql: `${'('.repeat(51)}a${')'.repeat(51)}` }, { position: 50 }],
  ['no zone', { tz: 'Mars/Base' }, {}],
  ['no limit', { limit: 'many' }, {}],
  ['too high a limit', { limit: 1001 }, {}],
  ['a limit of nothing', { limit: 0 }, {}],
  ['no place', { before: 'yesterday' }, {}],
])('%s is a 400 that says where and why', async (_, query, details) => {
  const { url } = await badWeather()
  const answer = await get(`${url}/search`, query)
  expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/\w{3,}/), ...details } })
})

let weather: ReturnType<typeof newSource> | null = null
function badWeather(): ReturnType<typeof newSource> {
  weather ??= newSource().then(async (source) => {
    await send(source.token, [{ id: 'a', message: "it's", metadata: { level: 'x', ms: 1 } }])
    return source
  })
  return weather
}

test.each([
  ['1000 clauses', Array.from({ length: 1000 }, (_, i) => `-z${i}`).join(' ')],
  ['900 alternatives', `a OR ${Array.from({ length: 900 }, (_, i) => `z${i}`).join(' OR ')} OR it`],
  [
    '45 groups inside each other',
    `${Array.from({ length: 45 }, (_, i) => `(it b${i} OR `).join('')}it${')'.repeat(45)}`,
  ],
  ['an expression that backtracks elsewhere', '-~"(a+)+(b|c*)*$x"'],
  ['all of time', 't:0001-01-01..9999-12-31'],
  ['what looks like SQL', `"it's" -"'; drop table events; --" -"\\\\" -m.level:"x' OR 1=1 --"`],
  ['a zero character', '-"a\0b"'],
])('%s is a search like any other', async (_, lql) => {
  const { url } = await badWeather()
  expect(idsOf(await get(`${url}/search`, { lql }))).toEqual(['a'])
  expect((await get(`${url}/search/chart`, { lql })).status).toBe(200)
})

test('a source without events answers everything with nothing', async () => {
  const { url } = await newSource()
  expect((await get(`${url}/search`)).json).toMatchObject({ events: [], next: null })
  expect((await get(`${url}/search/facets`)).json).toMatchObject({ facets: [], total: 0, approximate: false })
  const chart = await get(`${url}/search/chart`)
  expect(chart.json.buckets.map(({ value }: { value: number }) => value)).toEqual(Array(120).fill(0))
  expect((await get(`${url}/suggest`, { lql: 'event_message:' })).status).toBe(200)
})

test('all of it needs a management token and a source of the account', async () => {
  const { token } = await newSource()
  const { json: ingest } = await call('/api/access-tokens', { scopes: 'ingest query' })
  const { json: other } = await call('/api/accounts', { name: 'somebody else' })
  const paths = ['search', 'search/chart', 'search/facets', 'suggest', 'saved-searches', 'events/a', 'events/a/context']
  for (const path of [...paths.map((name) => `/api/sources/${token}/${name}`), `/api/lql/parse?source=${token}`]) {
    const as = async (authorization: string): Promise<number> =>
      (await service.fetch(path, { headers: { authorization } })).status
    expect([path, await as('Bearer nobody'), await as(`Bearer ${ingest.token}`)]).toEqual([path, 401, 403])
    expect([path, await as(`Bearer ${other.management_token}`)]).toEqual([path, 404])
  }
})

test('a search as SQL finds the same events, and keeps times that move with the clock', async () => {
  const { token, url } = await newSource()
  await send(token, [
    { id: 'a', timestamp: ago(50), message: "it's `one`", metadata: { level: 'info', n: 1, tags: ['x', 'y'] } },
    { id: 'b', timestamp: ago(40), message: 'two', metadata: { level: 'error', n: 2.5 } },
    { id: 'c', timestamp: ago(30), message: 'three \\ 3' },
    { id: 'd', timestamp: ago(20), message: 'two days', metadata: { level: 'error', n: 7, tags: ['x'] } },
  ])
  for (const lql of [
    '',
    't:last@1h',
    "it's t:last@2d",
    '-m.level:error',
    'm.n:>1 OR m.tags:@>y',
    `t:${ago(45)}..${ago(15)} ~tw`,
    'm.level:NULL',
    's:m.n@count m.level:error',
  ]) {
    const { json } = await get(`${url}/search/sql`, { lql })
    const rows = await call('/api/query', { sql: json.events })
    expect({ lql, ids: rows.json.result?.map(({ id }: Json) => id) }).toEqual({
      lql,
      ids: idsOf(await get(`${url}/search`, { lql })),
    })
    const chart = await call('/api/query', { sql: json.chart })
    expect(chart.status).toBe(200)
  }
  expect((await get(`${url}/search/sql`, { lql: 't:last@15m' })).json.events).toContain('INTERVAL 15 MINUTE')
  const byHour = await get(`${url}/search/sql`, { lql: 'c:max(m.n) c:group_by(t::day) t:last@2d' })
  expect((await call('/api/query', { sql: byHour.json.chart })).json.result.map(({ value }: Json) => value)).toContain(
    7,
  )
})

test('a search leaves as a file in three formats, and a bad one is refused like any other', async () => {
  const { token, url } = await newSource()
  await send(token, [
    { id: 'a', timestamp: ago(50), message: 'a "quoted", line', metadata: { n: 1 } },
    { id: 'b', timestamp: ago(40), message: 'two', metadata: { n: 2 } },
  ])
  const file = (format: string, lql = 't:last@1h'): Promise<Response> =>
    service.fetch(`${url}/search/export?${new URLSearchParams({ lql, format })}`)
  const csv = await file('csv')
  expect(csv.headers.get('content-disposition')).toContain('events.csv')
  expect(csv.headers.get('x-truncated')).toBe('false')
  const lines = (await csv.text()).split('\r\n')
  expect(lines[0]).toContain('event_message')
  expect(lines[2]).toContain('"a ""quoted"", line"')
  const ndjson = (await (await file('ndjson')).text()).trim().split('\n')
  expect(ndjson.map((line) => JSON.parse(line).id)).toEqual(['b', 'a'])
  expect((await (await file('parquet')).arrayBuffer()).byteLength).toBeGreaterThan(100)
  expect((await file('csv', 'm.nothing:1')).status).toBe(400)
  expect((await file('pdf')).status).toBe(400)
})
