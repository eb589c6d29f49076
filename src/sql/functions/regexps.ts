import { ifThere, literal } from '../dialects/clickhouse/nested.ts'
import { arePattern } from '../dialects/postgres/pattern.ts'
import type { Emitter } from '../emitter.ts'
import type { Call, Expr } from '../tree.ts'
import { arrayOf, BOOL, STRING } from '../value-types.ts'
import { type Rules, special } from './rule.ts'

export const regexpFunctions: Rules = {
  regexp_contains: special(2, {
    duckdb: (call, emitter) => {
      const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      return { sql: `regexp_matches(${x}, ${pattern})`, type: BOOL }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: `match(${x}, ${pattern})`, type: BOOL }
    },
    postgres: (call, emitter) => ({
      sql: `(${emitter.value(call.args[0]!, STRING).sql} ~ ${patternOf(call, emitter, 'any')})`,
      type: BOOL,
    }),
  }),
  regexp_extract: regexpExtract(),
  regexp_substr: regexpExtract(),
  regexp_extract_all: special(2, {
    duckdb: (call, emitter) => {
      const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      const group = groups(call.args[1]!)
      const all = (index: number) => `regexp_extract_all(${x}, ${pattern}, ${index})`
      if (group !== null) return { sql: all(group), type: arrayOf(STRING) }
      return { sql: `CASE WHEN bq_has_group(${pattern}) THEN ${all(1)} ELSE ${all(0)} END`, type: arrayOf(STRING) }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: ifThere(x!, `toJSONString(extractAll(assumeNotNull(${x}), ${pattern}))`), type: arrayOf(STRING) }
    },
    postgres: (call, emitter) => {
      const x = emitter.value(call.args[0]!, STRING).sql
      const matches = `regexp_matches(${x}, ${patternOf(call, emitter, 'exact')}, 'g') WITH ORDINALITY AS r(m, o)`
      const all = `SELECT coalesce(jsonb_agg(r.m[1] ORDER BY r.o), '[]') FROM ${matches}`
      return { sql: `CASE WHEN ${x} IS NOT NULL THEN (${all}) END`, type: arrayOf(STRING) }
    },
  }),
  regexp_replace: special(3, {
    duckdb: (call, emitter) => {
      const [x, pattern, by] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      return { sql: `regexp_replace(${x}, ${pattern}, ${by}, 'g')`, type: STRING }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: `replaceRegexpAll(${x}, ${pattern}, ${emitter.value(call.args[2]!, STRING).sql})`, type: STRING }
    },
    postgres: (call, emitter) => {
      const [of, , by] = call.args
      const x = emitter.value(of!, STRING).sql
      // The whole match is `\0` in GoogleSQL and `\&` here.
      const written = by!.kind === 'string' ? { ...by!, value: by!.value.replaceAll('\\0', '\\&') } : by!
      const text = emitter.value(written, STRING).sql
      return { sql: `regexp_replace(${x}, ${patternOf(call, emitter, 'exact')}, ${text}, 'g')`, type: STRING }
    },
  }),
}

/** The capturing group GoogleSQL returns: the first if the pattern has one, else the whole match; null when not known. */
function groups(pattern: Expr): 0 | 1 | null {
  if (pattern.kind !== 'string') return null
  const bare = pattern.value.replace(/\\./gs, '').replace(/\[\^?\]?[^\]]*\]/g, '')
  return /\((?!\?)|\(\?P?</.test(bare) ? 1 : 0
}

/** No match is NULL in GoogleSQL; the embedded engine would give an empty text. */
function regexpExtract() {
  return special(2, {
    duckdb: (call, emitter) => {
      const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      const group = groups(call.args[1]!)
      const matched = `regexp_matches(${x}, ${pattern})`
      const extract = (index: number) => `regexp_extract(${x}, ${pattern}, ${index})`
      if (group !== null) return { sql: `CASE WHEN ${matched} THEN ${extract(group)} END`, type: STRING }
      const found = `CASE WHEN bq_has_group(${pattern}) THEN ${extract(1)} ELSE ${extract(0)} END`
      return { sql: `CASE WHEN ${matched} THEN ${found} END`, type: STRING }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: `if(match(${x}, ${pattern}), extract(${x}, ${pattern}), NULL)`, type: STRING }
    },
    postgres: (call, emitter) => {
      const x = emitter.value(call.args[0]!, STRING).sql
      return { sql: `(regexp_match(${x}, ${patternOf(call, emitter, 'exact')}))[1]`, type: STRING }
    },
  })
}

/**
 * The second argument as PostgreSQL's own expression. Where it matters what is matched (`exact`), a mix of greedy and
 * lazy repeats is refused: the engine makes all of them lazy or none. A pattern that is no literal is taken as it comes.
 */
function patternOf(call: Call, emitter: Emitter, need: 'any' | 'exact'): string {
  const expr = call.args[1]!
  if (expr.kind !== 'string') return emitter.value(expr, STRING).sql
  const pattern = arePattern(expr.value)
  if ('unknown' in pattern) throw emitter.lacks(expr.at, pattern.unknown)
  if (need === 'exact' && pattern.hasLazy && pattern.hasGreedy)
    throw emitter.lacks(expr.at, 'a regular expression with both lazy and greedy repeats')
  return emitter.value({ ...expr, value: pattern.text }, STRING).sql
}

/** RE2 patterns as they are; the engine lets a dot match a newline unless told otherwise. */
function ofPattern(call: Call, emitter: Emitter): string[] {
  const [x, pattern] = call.args
  const own =
    pattern!.kind === 'string'
      ? literal(`(?-s)${pattern!.value}`)
      : `concat('(?-s)', ${emitter.value(pattern!, STRING).sql})`
  return [emitter.value(x!, STRING).sql, own]
}
