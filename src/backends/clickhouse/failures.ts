import { ForbiddenAddress } from '../address.ts'
import { failed, type Outcome, type Probe } from '../kind.ts'

/** The engine's number of an error, or the system's word for it. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Unknown database, cluster or table, no rights, wrong password, read-only: right settings make them go away. */
const NEED_HELP = new Set(['81', '170', '60', '164', '192', '193', '194', '291', '497', '516', '36', '115'])
/** Values that cannot be read as the type of their column. */
const REFUSED = new Set(['6', '26', '27', '33', '38', '41', '53', '69', '72', '117', '130', '131', '349', '441', '695'])

export function outcomeOf(error: unknown): Outcome {
  const code = codeOf(error)
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500) || code
  if (REFUSED.has(code)) return { kind: 'refused', reason }
  return failed(reason, NEED_HELP.has(code) || error instanceof ForbiddenAddress)
}

export function probeOf(error: unknown): Probe {
  const code = codeOf(error)
  if (['192', '193', '194', '516'].includes(code)) return { ok: false, reason: 'authentication_failed' }
  if (code === '81') return { ok: false, reason: 'database_not_found' }
  if (code === '497') return { ok: false, reason: 'permission_denied' }
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'].includes(code))
    return { ok: false, reason: 'connection_refused' }
  return { ok: false, reason: /timeout/i.test(String(error)) ? 'timeout' : 'unknown_error' }
}
