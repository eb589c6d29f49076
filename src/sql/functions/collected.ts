/** Aggregates that collect values: into lists, texts and most frequent ones. */
import { elements, ifThere, jsonOf, listOf, objectOf } from '../dialects/clickhouse/nested.ts'
import { collected } from '../dialects/clickhouse/sorted.ts'
import { plain } from '../dialects/postgres/json.ts'
import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'
import { arrayOf, elementOf, INT64, STRING, type ValueType } from '../value-types.ts'
import { written } from './grouped.ts'
import { aggregate, ofEngine, type Rules } from './rule.ts'

/** Values in the engine's own list: with PostgreSQL an array, which becomes jsonb where it is done, with ClickHouse JSON text. */
function list(call: Call, emitter: Emitter): { sql: string; of: ValueType } {
  const of = emitter.wide(call.args[0]!)
  const filter = call.nulls === 'ignore' ? `${of.sql} IS NOT NULL` : undefined
  const limit = call.limit ? emitter.value(call.limit, INT64).sql : null
  const write = {
    duckdb: () => {
      const sql = written('list', call, emitter, { args: [of.sql], filter })
      return limit ? `list_slice(${sql}, 1, ${limit})` : sql
    },
    postgres: () => {
      const item = plain(of)
      const sql = written('array_agg', call, emitter, {
        args: [item],
        filter,
        orderBy: distinctOrder(call, of, item, emitter),
      })
      return limit ? `(${sql})[1:CAST(${limit} AS integer)]` : sql
    },
  }
  return {
    sql: ofEngine({ ...write, clickhouse: () => jsonList(call, of, filter, emitter) }, call, emitter)(),
    of: of.type,
  }
}

const orNull = (array: string, value: string): string => `if(empty(${array}), NULL, ${value})`

function jsonList(call: Call, of: Emitted, filter: string | undefined, emitter: Emitter): string {
  const array = collected(call, jsonOf(of), filter, emitter)
  return orNull(array, listOf(array))
}

/** Texts that are there, joined. */
function joined(call: Call, of: Emitted, separator: string, emitter: Emitter): string {
  const array = collected(call, `assumeNotNull(${of.sql})`, `${of.sql} IS NOT NULL`, emitter)
  return orNull(array, `arrayStringConcat(${array}, ${separator})`)
}

/** With DISTINCT PostgreSQL orders by nothing but the very argument. */
function distinctOrder(call: Call, of: Emitted, item: string, emitter: Emitter): string | undefined {
  if (!call.distinct || call.orderBy.length === 0) return undefined
  const own = emitter.dialect.ordered(of)
  return emitter.orders(call.orderBy).replaceAll(own, () => item)
}

const TOP = (of: ValueType): ValueType =>
  arrayOf({
    kind: 'struct',
    fields: [
      { name: 'value', type: of },
      { name: 'count', type: INT64 },
    ],
  })

export const collectingFunctions: Rules = {
  array_agg: aggregate(1, (call, emitter) => {
    const { sql, of } = list(call, emitter)
    return { sql: emitter.dialect.engine === 'postgres' ? `to_jsonb(${sql})` : sql, type: arrayOf(of) }
  }),
  array_concat_agg: aggregate(1, (call, emitter) => {
    const { sql, of } = list(call, emitter)
    const write = {
      duckdb: () => `flatten(${sql})`,
      clickhouse: () => {
        const lists = elements({ sql, type: arrayOf(of) })
        const items = `arrayFlatten(arrayMap(l -> JSONExtractArrayRaw(ifNull(l, '[]')), ${lists}))`
        return ifThere(sql, orNull(items, listOf(items)))
      },
      postgres: () =>
        `(SELECT jsonb_agg(e.v ORDER BY a.o, e.o) FROM unnest(${sql}) WITH ORDINALITY AS a(v, o), jsonb_array_elements(a.v) WITH ORDINALITY AS e(v, o))`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(elementOf(of)) }
  }),
  string_agg: aggregate([1, 2], (call, emitter) => {
    const separator = call.args[1] ? emitter.value(call.args[1], STRING).sql : "','"
    // NULL counts neither as a text nor towards the limit.
    const isClickhouse = emitter.dialect.engine === 'clickhouse'
    const texts = call.limit && !isClickhouse ? list({ ...call, nulls: 'ignore' }, emitter).sql : null
    if (texts) return { sql: `array_to_string(${texts}, ${separator})`, type: STRING }
    const of = emitter.value(call.args[0]!, STRING)
    if (isClickhouse) return { sql: joined(call, of, separator, emitter), type: STRING }
    return {
      sql: written('string_agg', call, emitter, { args: [emitter.dialect.ordered(of), separator] }),
      type: STRING,
    }
  }),
  approx_top_count: aggregate(2, (call, emitter) => {
    const of = emitter.wide(call.args[0]!)
    const count = emitter.value(call.args[1]!, INT64).sql
    const write = {
      duckdb: () => `bq_top_count(${of.sql}, ${count})`,
      clickhouse: () => {
        const args = [`[assumeNotNull(${of.sql})]`, '[toUInt64(1)]']
        const counts = written('sumMap', call, emitter, { args, filter: `${of.sql} IS NOT NULL` })
        const pairs = `arrayReverseSort(e -> (e.2, e.1), arrayZip(${counts}.1, ${counts}.2))`
        const json = objectOf([
          ['value', jsonOf({ sql: 'e.1', type: of.type })],
          ['count', 'toString(e.2)'],
        ])
        return listOf(`arrayMap(e -> ${json}, arraySlice(${pairs}, 1, ${count}))`)
      },
      postgres: () => {
        const values = `unnest(${written('array_agg', call, emitter, { args: [plain(of)], filter: `${of.sql} IS NOT NULL` })}) AS v(v)`
        const most = `SELECT v.v, count(*) AS n FROM ${values} GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT ${count}`
        return `(SELECT coalesce(jsonb_agg(jsonb_build_object('value', q.v, 'count', q.n)), '[]') FROM (${most}) AS q)`
      },
    }
    if (call.over) throw emitter.fail(call.at, 'APPROX_TOP_COUNT takes no OVER')
    return { sql: ofEngine(write, call, emitter)(), type: TOP(of.type) }
  }),
}
