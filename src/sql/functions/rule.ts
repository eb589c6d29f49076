import type { Emitted, Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'
import type { ValueType } from '../value-types.ts'

/** How one GoogleSQL function is written for the engine. A function without a rule does not exist for callers. */
export type Rule = {
  least: number
  most: number
  /** Aggregates read the rows of a group: in HAVING and ORDER BY their arguments never mean a select alias. */
  aggregate: boolean
  /** Runs only with OVER. */
  window: boolean
  emit(call: Call, emitter: Emitter): Emitted
}

export type Rules = Record<string, Rule>

type Returns = ValueType | ((args: Emitted[]) => ValueType)
type Count = number | [number, number]

const range = (count: Count): [number, number] => (typeof count === 'number' ? [count, count] : count)

/** A function whose arguments are all plain values. */
export function scalar(
  count: Count,
  want: ValueType | null,
  returns: Returns,
  write: (...args: string[]) => string,
): Rule {
  const [least, most] = range(count)
  return {
    least,
    most,
    aggregate: false,
    window: false,
    emit(call, emitter) {
      const args = call.args.map((arg) => emitter.value(arg, want ?? undefined))
      const type = typeof returns === 'function' ? returns(args) : returns
      return { sql: write(...args.map((arg) => arg.sql)), type }
    },
  }
}

/** A function that looks at its arguments' trees or types. */
export function special(count: Count, emit: Rule['emit']): Rule {
  const [least, most] = range(count)
  return { least, most, aggregate: false, window: false, emit }
}

export const sameAsFirst = (args: Emitted[]): ValueType => args[0]!.type
