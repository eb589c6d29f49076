import { parseDropRules } from '../../model/rules/drop.ts'
import type { JsonObject } from '../json/value.ts'
import { deleteAt } from './paths.ts'
import { STANDARD_NAMES } from './standard.ts'
import type { Step } from './step.ts'

/** Removes fields, after everything else had its use of them. The standard fields stay, in whatever case a rule names them. */
export function createDrop(rules: string): Step | null {
  const paths = droppedPaths(rules)
  if (paths.length === 0) return null
  return function drop(event: JsonObject): void {
    for (const path of paths) deleteAt(event, path)
  }
}

export const droppedPaths = (rules: string): string[][] =>
  parseDropRules(rules).filter(([first]) => !isStandard(first!))

const isStandard = (name: string): boolean => STANDARD_NAMES.includes(name.toLowerCase()) && name !== 'message'
