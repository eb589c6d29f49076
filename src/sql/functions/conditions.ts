import { BOOL, commonType, STRING } from '../value-types.ts'
import { emitAlike } from './alike.ts'
import { type Rules, scalar, special } from './rule.ts'

export const conditionFunctions: Rules = {
  if: special(3, (call, emitter) => {
    const [test, ...branches] = call.args
    const [yes, no] = emitAlike(branches, emitter)
    const type = commonType([yes!.type, no!.type])
    return { sql: `CASE WHEN ${emitter.value(test!, BOOL).sql} THEN ${yes!.sql} ELSE ${no!.sql} END`, type }
  }),
  ifnull: alike('coalesce', 2),
  coalesce: alike('coalesce', [1, 100]),
  nullif: alike('nullif', 2),
  zeroifnull: special(1, (call, emitter) => {
    const of = emitter.wide(call.args[0]!)
    return { sql: `coalesce(${of.sql}, 0)`, type: of.type }
  }),
  typeof: scalar(1, null, STRING, { duckdb: (x) => `typeof(${x})` }),
}

function alike(name: string, count: number | [number, number]) {
  return special(count, (call, emitter) => {
    const args = emitAlike(call.args, emitter)
    return { sql: `${name}(${args.map((arg) => arg.sql).join(', ')})`, type: commonType(args.map((arg) => arg.type)) }
  })
}
