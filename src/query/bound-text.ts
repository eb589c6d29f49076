import type { BoundText } from '../backends/kind.ts'

/** Values of parameters as text; the engine reads them as the type that it expects. */
export function textOf(value: unknown): BoundText {
  if (Array.isArray(value)) return value.map((each) => scalarText(each))
  return scalarText(value)
}

function scalarText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
