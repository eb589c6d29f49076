/**
 * Every GoogleSQL function a query may call. This table is the first fence: a name that is not here is refused by
 * name, wherever it stands, and what is here can reach nothing but its arguments.
 */

import type { Expr } from '../tree.ts'
import { childrenOf } from '../walk.ts'
import { aggregateFunctions } from './aggregates.ts'
import { arrayFunctions } from './arrays.ts'
import { collectingFunctions } from './collected.ts'
import { conditionFunctions } from './conditions.ts'
import { formatFunctions } from './format.ts'
import { jsonFunctions } from './json.ts'
import { numberFunctions } from './numbers.ts'
import { quantileFunctions } from './quantiles.ts'
import { regexpFunctions } from './regexps.ts'
import type { Rule } from './rule.ts'
import { textFunctions } from './text.ts'
import { timeFunctions } from './time.ts'
import { windowFunctions } from './windows.ts'

const RULES: ReadonlyMap<string, Rule> = new Map(
  [
    textFunctions,
    formatFunctions,
    regexpFunctions,
    numberFunctions,
    conditionFunctions,
    arrayFunctions,
    jsonFunctions,
    timeFunctions,
    aggregateFunctions,
    collectingFunctions,
    quantileFunctions,
    windowFunctions,
  ].flatMap((rules) => Object.entries(rules)),
)

export const functionNamed = (name: string): Rule | undefined => RULES.get(name)

export const functionNames = (): string[] => [...RULES.keys()].sort()

/** Whether a value is made of a group of rows rather than of one. */
export function hasAggregate(expr: Expr): boolean {
  if (expr.kind === 'call' && expr.over === null && functionNamed(expr.name)?.aggregate) return true
  return childrenOf(expr).some((child) => child !== null && hasAggregate(child))
}
