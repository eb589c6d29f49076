import { ForbiddenAddress } from '../address.ts'
import { failed, type Outcome, type Probe } from '../kind.ts'
import { codeOf } from './insert.ts'

/** Wrong user, database, rights or schema: right settings make them go away. */
const NEED_HELP = /^(?:28|3D|3F|42|0L|0P)/
/** The values themselves do not fit the engine. */
const REFUSED = /^(?:22|54000)/

export function outcomeOf(error: unknown): Outcome {
  const code = codeOf(error) ?? ''
  const reason = error instanceof Error ? error.message : String(error)
  if (REFUSED.test(code)) return { kind: 'refused', reason }
  return failed(reason || code, NEED_HELP.test(code) || error instanceof ForbiddenAddress)
}

export function probeOf(error: unknown): Probe {
  const code = codeOf(error) ?? ''
  if (code.startsWith('28')) return { ok: false, reason: 'authentication_failed' }
  if (code === '3D000') return { ok: false, reason: 'database_not_found' }
  if (code === '42501') return { ok: false, reason: 'permission_denied' }
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENOENT'].includes(code))
    return { ok: false, reason: 'connection_refused' }
  return { ok: false, reason: /timeout/i.test(String(error)) ? 'timeout' : 'unknown_error' }
}
