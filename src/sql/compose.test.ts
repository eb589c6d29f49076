import { describe, expect, test } from 'vitest'
import { bindSources, createSql, expand, parameterNames, parse, print, type Query, sandbox, tableNames } from './sql.ts'

const sql = createSql()
const prepare = (query: string | Query) =>
  sql.prepare({
    sql: query,
    resolve: (name) => (['web', 'vault'].includes(name) ? name : undefined),
    fields: () => ({
      code: 'string',
      metadata: 'object',
      'metadata.level': 'string',
      'metadata.request': 'object',
      'metadata.request.path': 'string',
    }),
    requireTimestamp: false,
    nowUs: 0,
  })

describe('print', () => {
  test.each([
    'select a, b as c, t.*, * except (x) replace (1 as y) from `eu.web-1` as t',
    'with recursive x as (select 1 as n union all select n + 1 from x where n < 3) select * from x order by n desc nulls last limit 2 offset 1',
    "select 'it\\'s', \"a\\\\b\\n\", r'\\d', b'\\xff', -1, 1.5e3, true, null, date '2025-01-01', @p, a[offset(0)].b, not a, - b",
    'select count(*), count(distinct a), array_agg(a ignore nulls order by b desc limit 3), any_value(a having max b), sum(a) over (partition by b order by c rows between 1 preceding and current row) from t',
    "select case a when 1 then 'x' else 'y' end, if(a is not null, 1, 2), cast(a as array<struct<x int64, y string>>), safe_cast(a as date), extract(week(monday) from a at time zone 'UTC') from t",
    'select a from t join u using (id) left join unnest(t.list) as x with offset as o on true, (select 1 as b) as d where a in (1, 2) and b not in (select 1) and c in unnest([1, 2]) and exists(select 1) and d not between 1 and 2',
    'select a from t group by rollup (a, b) having count(*) > 1 qualify row_number() over w = 1 window w as (partition by a)',
    'select `select`, `a b`.`from`, struct(1 as a, 2), array<int64>[1], array(select 1), (select as struct 1 as a) from `weird``name`'.replace(
      '``',
      '\\`',
    ),
    '(select 1 as a union all select 2) intersect distinct select 3 order by 1',
    'select timestamp_sub(current_timestamp(), interval @n day) as x, safe.parse_date("%Y", a) as y',
  ])('a printed query parses to the same query: %s', (text) => {
    const printed = print(parse(text))
    expect(print(parse(printed))).toBe(printed)
  })
})

test('parameters are listed once, in the order of the text, and not out of texts or comments', () => {
  const text =
    'with a as (select @one as x) select @two, \'@no\', "@none" from a where x = @one and y between @three and @1 -- @remark'
  expect(parameterNames(parse(text))).toEqual(['one', 'two', 'three', '1'])
})

describe('sandbox', () => {
  const endpoint = parse(
    'with open as (select id, code from web where code is not null), one as (select 1 as n) select id from open order by id limit 1',
  )
  const over = (caller: string) => prepare(sandbox(endpoint, parse(caller)))

  test("the caller's query takes the place of the final select, its order and its limit", () => {
    expect(over('select count(*) as n from open').text).toBe(
      'WITH cte_0 AS (SELECT t0."id" AS "id", t0."code" AS "code" FROM source_0 AS t0 WHERE (t0."code" IS NOT NULL)) (SELECT count(*) AS "n" FROM cte_0 AS t1)',
    )
  })
  test('only what the caller reads is written', () => {
    expect(over('select n from one').sources).toEqual([])
  })
  test("the caller's own WITH, joins and subqueries over the WITH queries work", () => {
    expect(
      over(
        'with mine as (select id from open) select mine.id from mine join one on true where id in (select id from open)',
      ).sources,
    ).toHaveLength(1)
  })
  test.each([
    'select code from vault',
    'select code from `vault`',
    'select o.id from open o join vault v on true',
    'select id from open, vault',
    'select id from open where id in (select code from vault)',
    'with vault as (select code from vault) select code from vault',
    'with open as (select code as id from vault) select id from open',
    'select c from (with z as (select code as c from vault) select c from z)',
    'select id from open union all select code from vault',
    'with recursive r as (select code from vault union all select code from r) select code from r',
    'select code from unnest((select array_agg(code) from vault)) as code',
    'with a as (select code from vault) select 1 as unread',
    'select id from web',
  ])('no source is within reach: %s', (caller) => {
    expect(() => over(caller)).toThrow(/can't find source (vault|web)/)
  })
  test('fields that a WITH query does not expose are unknown', () => {
    expect(() => over('select metadata from open')).toThrow('unknown field metadata')
  })
  test('an endpoint without WITH queries has nothing to read', () => {
    expect(() => sandbox(parse('select 1 as a'), parse('select 2 as b'))).toThrow('no WITH queries')
  })
})

describe('expand', () => {
  const named: Record<string, string> = {
    errors: 'select id, code from web where code = @code',
    'errors.top': 'select id from errors limit @n',
    loop: 'select * from pool',
    pool: 'select * from loop',
  }
  const lookup = (name: string) => (Object.hasOwn(named, name) ? parse(named[name]!) : undefined)
  const expanded = (text: string) => expand(parse(text), lookup)

  test('a named query stands in for its name at any depth, and brings its parameters', () => {
    const tree = expanded('select e.id from errors.top as e where e.id in (select id from errors)')
    expect(parameterNames(tree)).toEqual(['code', 'n'])
    expect(prepare(tree).sources).toHaveLength(2)
  })
  test('without an alias its name can still be used', () => {
    expect(prepare(expanded('select errors.id from errors')).sources).toHaveLength(1)
  })
  test('a WITH query of the same name comes first', () => {
    expect(prepare(expanded('with errors as (select 1 as id) select id from errors')).sources).toEqual([])
  })
  test('a circle is refused by its names', () => {
    expect(() => expanded('select * from loop')).toThrow('in a circle: loop → pool → loop')
  })
  test('a sealed query is left alone', () => {
    const tree = expand(
      sandbox(parse('with a as (select 1 as n) select n from a'), parse('select id from errors')),
      lookup,
    )
    expect(() => prepare(tree)).toThrow("can't find source errors")
  })
})

describe('presence of an unnested object', () => {
  const where = (text: string) => / WHERE (.*)$/.exec(prepare(text).text)?.[1] ?? ''
  test.each([
    [
      'is asked when nothing else answers it',
      'select m.level from web, unnest(metadata) m',
      't0."metadata" IS NOT NULL',
    ],
    [
      'is asked of the deepest object only',
      'select r.path from web, unnest(metadata) m, unnest(m.request) r',
      't0."metadata"."request" IS NOT NULL',
    ],
    [
      'is answered by a filter that no NULL passes',
      "select 1 as a from web, unnest(metadata) m where m.level = 'x'",
      `(t0."metadata"."level" = 'x')`,
    ],
    [
      'is still asked beside a filter that NULL may pass',
      'select 1 as a from web, unnest(metadata) m where m.level is null',
      't0."metadata" IS NOT NULL AND (t0."metadata"."level" IS NULL)',
    ],
    ['is not asked after LEFT JOIN', 'select m.level from web left join unnest(metadata) m on true', ''],
  ])('%s', (_, text, expected) => expect(where(text)).toBe(expected))
})

describe('names of tables', () => {
  test('are those that no WITH query has, at any depth, each once', () => {
    const text =
      'with a as (select 1 as x from web), b as (select * from a join web using (x)) select (select max(x) from `eu.logs`) from b, a where exists(select 1 from c) union all select 1 from eu.logs'
    expect(tableNames(parse(text)).sort()).toEqual(['c', 'eu.logs', 'web'])
  })

  test('can be tied to a source, whatever it is called now', () => {
    const query = bindSources(parse('select old.code, w.id from old join web w on w.id = old.id'), (name) =>
      name === 'old' ? 'vault' : undefined,
    )
    const { sources } = prepare(query)
    expect(sources.map(({ token, name }) => [token, name])).toEqual([
      ['vault', 'old'],
      ['web', 'web'],
    ])
    expect(expand(query, (name) => (name === 'old' ? parse('select 1 as code') : undefined))).toEqual(query)
  })

  test('a sealed query has none that could be tied', () => {
    const query = sandbox(parse('with open as (select id from web) select id from open'), parse('select * from vault'))
    expect(() => prepare(bindSources(query, () => 'vault'))).toThrow("can't find source vault")
  })
})

test('named queries that multiply themselves are refused before they fill the memory', () => {
  const lookup = (name: string): Query | undefined => {
    const level = Number(name.slice(1))
    if (Number.isNaN(level)) return undefined
    return parse(level === 0 ? 'select 1 as n' : `select a.n from q${level - 1} a join q${level - 1} b on a.n = b.n`)
  }
  expect(() => expand(parse('select n from q18'), lookup)).toThrow('more than 500 queries')
})

test('a tree is translated once for its key, until the fields of its sources change', () => {
  const own = createSql()
  let made = 0
  let fields: Record<string, 'string'> = { code: 'string' }
  const ask = () =>
    own.prepare({
      sql: {
        key: 'k',
        tree() {
          made += 1
          return parse('select * from web')
        },
      },
      resolve: () => 'web',
      fields: () => fields,
      requireTimestamp: false,
      nowUs: 0,
    })
  ask()
  ask()
  expect(made).toBe(1)
  fields = { ...fields, level: 'string' }
  expect(ask().columns.map(({ name }) => name)).toContain('level')
  expect(made).toBe(2)
})
