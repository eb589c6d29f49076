import type { Clause } from '../query.ts'
import { compare } from './compare.ts'
import { contains } from './contains.ts'
import { equals } from './equals.ts'
import { includes } from './includes.ts'
import { includesRegex } from './includes-regex.ts'
import { levels } from './levels.ts'
import { missing } from './missing.ts'
import { oneOf } from './one-of.ts'
import type { Operator } from './operator.ts'
import { range } from './range.ts'
import { regex } from './regex.ts'
import { time } from './time.ts'

export function operatorOf(clause: Clause): Operator {
  switch (clause.op) {
    case 'contains':
      return contains(clause)
    case 'equals':
      return equals(clause)
    case 'missing':
      return missing(clause)
    case 'one_of':
      return oneOf(clause)
    case 'compare':
      return compare(clause)
    case 'range':
      return range(clause)
    case 'levels':
      return levels(clause)
    case 'regex':
      return regex(clause)
    case 'includes':
      return includes(clause)
    case 'includes_regex':
      return includesRegex(clause)
    case 'time':
      return time(clause)
  }
}
