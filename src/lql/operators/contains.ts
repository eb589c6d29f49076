import { printLiteral } from '../literals.ts'
import type { Contains } from '../query.ts'
import type { Operator } from './operator.ts'

/** `refund`, `"gift card"`: the message holds exactly this run of characters. */
export function contains({ value }: Contains): Operator {
  const { text } = value
  return {
    print: () => printLiteral(value),
    test: () => (found) => typeof found === 'string' && found.includes(text),
    sql: (column, type, write) => (type === 'string' ? write.dialect.contains(column, write.text(text)) : null),
    misfit: () => null,
  }
}
