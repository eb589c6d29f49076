import { arrayOf, BOOL, DATE, elementOf, INT64, STRING, TIMESTAMP } from '../value-types.ts'
import { type Rules, sameAsFirst, scalar, special } from './rule.ts'

const element = (write: (x: string) => string) =>
  scalar(
    1,
    null,
    (args) => elementOf(args[0]!.type),
    (x) => write(x!),
  )

export const arrayFunctions: Rules = {
  array_length: scalar(1, null, INT64, (x) => `len(${x})`),
  array_reverse: scalar(1, null, sameAsFirst, (x) => `list_reverse(${x})`),
  array_concat: scalar([1, 100], null, sameAsFirst, (...lists) => lists.reduce((a, b) => `list_concat(${a}, ${b})`)),
  array_to_string: special([2, 3], (call, emitter) => {
    const [list, separator, missing] = call.args.map((arg, i) => emitter.value(arg, i > 0 ? STRING : undefined).sql)
    const filled = missing ? `list_transform(${list}, lambda e: coalesce(CAST(e AS VARCHAR), ${missing}))` : list
    return { sql: `array_to_string(${filled}, ${separator})`, type: STRING }
  }),
  array_first: element((x) => `list_extract(${x}, 1)`),
  array_last: element((x) => `list_extract(${x}, -1)`),
  array_slice: scalar(3, null, sameAsFirst, (x, from, to) => `list_slice(${x}, ${from} + 1, ${to} + 1)`),
  array_includes: scalar(2, null, BOOL, (x, y) => `list_contains(${x}, ${y})`),
  array_is_distinct: scalar(1, null, BOOL, (x) => `(len(${x}) = list_unique(${x}))`),
  generate_array: special([2, 3], (call, emitter) => {
    const args = call.args.map((arg) => emitter.wide(arg, INT64))
    return { sql: `generate_series(${args.map((arg) => arg.sql).join(', ')})`, type: arrayOf(args[0]!.type) }
  }),
  generate_date_array: special([2, 3], (call, emitter) => {
    const [from, to, step] = call.args.map((arg, i) => emitter.value(arg, i < 2 ? DATE : undefined).sql)
    const series = `generate_series(CAST(${from} AS TIMESTAMP), CAST(${to} AS TIMESTAMP), ${step ?? 'to_days(1)'})`
    return { sql: `CAST(${series} AS DATE[])`, type: arrayOf(DATE) }
  }),
  generate_timestamp_array: special(3, (call, emitter) => {
    const [from, to, step] = call.args.map((arg, i) => emitter.value(arg, i < 2 ? TIMESTAMP : undefined).sql)
    return { sql: `generate_series(${from}, ${to}, ${step})`, type: arrayOf(TIMESTAMP) }
  }),
}
