/** Whether what a query found is what the alert is about. */
import { Fault } from '../base/faults.ts'
import type { AlertCondition } from '../model/alert.ts'

export type Row = Record<string, unknown>

/** The rows that meet the condition; throws when the column is not there. */
export function meeting(rows: Row[], condition: AlertCondition): Row[] {
  if (condition.type === 'rows') return rows
  const { column, operator, threshold } = condition
  return rows.filter((row) => {
    if (!Object.hasOwn(row, column))
      throw new Fault('bad_request', `The condition looks at the column ${column}, which the query does not give.`)
    const value = numberOf(row[column])
    return value !== null && COMPARES[operator](value, threshold)
  })
}

type Operator = Extract<AlertCondition, { type: 'value' }>['operator']

const COMPARES: Record<Operator, (value: number, threshold: number) => boolean> = {
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
  '=': (value, threshold) => value === threshold,
  '!=': (value, threshold) => value !== threshold,
}

/** Integers beyond 2^53 come as text. What is no number compares with nothing. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isNaN(number) ? null : number
}
