import { Problem } from '../api/request.ts'
import type { Mark } from './sql.ts'

/** Where the service found the mistake; null when it did not say. */
export function markOf(error: unknown): Mark | null {
  if (!(error instanceof Problem)) return null
  const { position } = error.details
  return typeof position === 'number' ? { position, message: error.message } : null
}
