import { parseCopyRules } from '../../model/rules/copy.ts'
import { copyOf, type JsonObject } from '../json/value.ts'
import { setAt, valueAt } from './paths.ts'
import type { Step } from './step.ts'

/** Copies fields, one rule after the other, so that a rule may read what an earlier one wrote. */
export function createCopy(rules: string): Step | null {
  const copies = parseCopyRules(rules)
  if (copies.length === 0) return null
  return function copy(event: JsonObject): void {
    for (const { from, to } of copies) {
      const value = valueAt(event, from)
      if (value !== undefined) setAt(event, to, copyOf(value))
    }
  }
}
