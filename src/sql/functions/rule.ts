import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Engine } from '../engine.ts'
import type { Call } from '../tree.ts'
import type { ValueType } from '../value-types.ts'

/** How one GoogleSQL function is written for the engines. A function without a rule does not exist for callers. */
export type Rule = {
  least: number
  most: number
  /** Aggregates read the rows of a group: in HAVING and ORDER BY their arguments never mean a select alias. */
  aggregate: boolean
  /** Runs only with OVER. */
  window: boolean
  /** Heeds `SAFE.` itself, for engines that cannot attempt just any value. */
  attempts?: boolean
  emit(call: Call, emitter: Emitter): Emitted
}

export type Rules = Record<string, Rule>

/** The same for all engines, or one for each that has the function. */
export type PerEngine<T extends (...args: never[]) => unknown> = T | { [engine in Engine]?: T }

type Write = (...args: string[]) => string
type Emit = Rule['emit']
type Returns = ValueType | ((args: Emitted[]) => ValueType)
type Count = number | [number, number]

const range = (count: Count): [number, number] => (typeof count === 'number' ? [count, count] : count)

/** What is written for the engine of this translation. */
export function ofEngine<T extends (...args: never[]) => unknown>(each: PerEngine<T>, call: Call, emitter: Emitter): T {
  if (typeof each === 'function') return each
  const found = each[emitter.dialect.engine]
  if (!found) throw emitter.lacks(call.at, call.name.toUpperCase())
  return found
}

/** A function whose arguments are all plain values. */
export function scalar(count: Count, want: ValueType | null, returns: Returns, write: PerEngine<Write>): Rule {
  return special(count, (call, emitter) => {
    const args = call.args.map((arg) => emitter.value(arg, want ?? undefined))
    const type = typeof returns === 'function' ? returns(args) : returns
    return { sql: ofEngine(write, call, emitter)(...args.map((arg) => arg.sql)), type }
  })
}

/** A function that looks at its arguments' trees or types. */
export function special(count: Count, emit: PerEngine<Emit>): Rule {
  return rule(count, emit, false)
}

export function aggregate(count: Count, emit: PerEngine<Emit>): Rule {
  return rule(count, emit, true)
}

function rule(count: Count, emit: PerEngine<Emit>, isAggregate: boolean): Rule {
  const [least, most] = range(count)
  return {
    ...{ least, most, aggregate: isAggregate, window: false },
    emit: (call, emitter) => ofEngine(emit, call, emitter)(call, emitter),
  }
}

export const sameAsFirst = (args: Emitted[]): ValueType => args[0]!.type
