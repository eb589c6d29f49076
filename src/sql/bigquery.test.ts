import { expect, test } from 'vitest'
import { createSql, inBigquery, type Meaning, parse, type Relation, sandbox } from './sql.ts'

const FIELDS = {
  metadata: 'object',
  'metadata.request': 'object',
  'metadata.request.path': 'string',
  tags: 'string[]',
  lines: 'object[]',
  hash: 'string',
  'lines.sku': 'string',
} as const
const TOKENS: Record<string, string> = { web: 'tok-web', 'eu.web-1': 'tok-eu', 'my app': 'tok-app', 'a.logs': 'tok-a' }

function written(text: string, caller?: string): string {
  const tree = caller === undefined ? parse(text) : sandbox(parse(text), parse(caller))
  const meanings = new Map<Relation, Meaning>()
  const { parameters } = createSql().prepare({
    ...{ sql: tree, requireTimestamp: false, nowUs: 0 },
    resolve: (name) => TOKENS[name],
    fields: () => FIELDS,
    note: (relation, meaning) => void meanings.set(relation, meaning),
  })
  const table = (token: string): string => `SELECT * FROM \`p.d.${token}\``
  return inBigquery(tree, { meanings, table, parameters: parameters.map(({ name }) => name) })
}

const LIST = (of: string) => `UNNEST(ARRAY(SELECT object FROM UNNEST([${of}]) AS object WHERE (object IS NOT NULL)))`

test.each([
  ['a source is its table', 'select id from web', 'SELECT id FROM (SELECT * FROM `p.d.tok-web`) AS web'],
  ['an alias stays', 'select w.id from web w', 'SELECT w.id FROM (SELECT * FROM `p.d.tok-web`) AS w'],
  [
    'a name that is no identifier gets one, and columns by it too',
    'select `my app`.id, `my app`.* from `my app`',
    'SELECT source_1.id, source_1.* FROM (SELECT * FROM `p.d.tok-app`) AS source_1',
  ],
  [
    'a dotted name is known by its last part',
    'select a.logs.id, logs.tags from a.logs',
    'SELECT logs.id, logs.tags FROM (SELECT * FROM `p.d.tok-a`) AS logs',
  ],
  [
    'an object is unnested as a list of one, a list as it is',
    'select m.request.path, s.sku from web cross join unnest(metadata) m cross join unnest(lines) s',
    `SELECT m.request.path, s.sku FROM (SELECT * FROM \`p.d.tok-web\`) AS web CROSS JOIN ${LIST('metadata')} AS m CROSS JOIN UNNEST(lines) AS s`,
  ],
  [
    'a path in FROM as well',
    'select request.path from web w, w.metadata.request',
    `SELECT request.path FROM (SELECT * FROM \`p.d.tok-web\`) AS w CROSS JOIN ${LIST('w.metadata.request')} AS request`,
  ],
  [
    'names of types are those of GoogleSQL',
    "select id::text, cast('1' as bigint) from web",
    "SELECT CAST(id AS STRING), CAST('1' AS INT64) FROM (SELECT * FROM `p.d.tok-web`) AS web",
  ],
  [
    'a word that is reserved there is quoted',
    'select hash from web',
    'SELECT `hash` FROM (SELECT * FROM `p.d.tok-web`) AS web',
  ],
  [
    'parameters are numbered',
    'select @b from web where id = @a and event_message = @b',
    'SELECT @p2 FROM (SELECT * FROM `p.d.tok-web`) AS web WHERE ((id = @p1) AND (event_message = @p2))',
  ],
  [
    'a WITH query hides a source of its name',
    'with web as (select id from web) select id from web',
    'WITH web AS (SELECT id FROM (SELECT * FROM `p.d.tok-web`) AS web) SELECT id FROM web',
  ],
])('%s', (_, text, expected) => expect(written(text)).toBe(expected))

test('a caller in a sandbox reads WITH queries and no source', () => {
  const endpoint = 'with recent as (select id from web) select * from recent'
  expect(written(endpoint, 'select count(*) as n from recent')).toBe(
    'WITH recent AS (SELECT id FROM (SELECT * FROM `p.d.tok-web`) AS web) (SELECT COUNT(*) AS n FROM recent)',
  )
  expect(() => written(endpoint, 'select * from web')).toThrow("can't find source web")
  expect(() => written(endpoint, 'select * from `p.d.tok-web`')).toThrow("can't find source p.d.tok-web")
})

test.each([
  'select * from `p.d.tok-web`',
  'select * from INFORMATION_SCHEMA.TABLES',
  "select * from external_query('x', 'y')",
  'select session_user()',
  'delete from web where true',
  'select 1; select 2',
])('refused: %s', (text) => expect(() => written(text)).toThrow())
