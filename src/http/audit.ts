/**
 * Writes down who changed what: every change that came over a management route and succeeded. Of what was sent only the
 * names of the fields are kept, and of ids only those that are no secrets.
 */
import { callerName, type Identity } from '../access/access.ts'
import type { Visitor } from '../access/people/people.ts'
import { isUuid } from '../base/ids.ts'
import type { AuditLog } from '../catalog/audit-log.ts'

export type Change = {
  identity: Identity
  route: { method: string; path: string }
  params: Record<string, unknown>
  body: unknown
  answer: unknown
  visitor: Visitor
}

const FIELDS_MAX = 50
const FIELD_LENGTH_MAX = 64

type Parts = { auditLog: AuditLog; onLost(error: unknown): void }

/** The change has happened already: a log that cannot be written is the operator's matter, not the caller's. */
export function createAudit({ auditLog, onLost }: Parts): (change: Change) => Promise<void> {
  return async ({ identity, route, params, body, answer, visitor }) => {
    try {
      await auditLog.add(identity.account.id, {
        by: 'user' in identity ? 'user' : 'token',
        who: callerName(identity),
        action: route.method === 'POST' ? 'create' : route.method === 'DELETE' ? 'delete' : 'update',
        kind: kindOf(route.path),
        record: idOf(params) ?? idOf(answer),
        fields: fieldsOf(body),
        address: visitor.address,
      })
    } catch (error) {
      onLost(error)
    }
  }
}

/** `/api/endpoints/:token/versions/:n/restore` is `endpoints/versions/restore`. */
const kindOf = (path: string): string =>
  path
    .split('/')
    .slice(2)
    .filter((part) => !part.startsWith(':'))
    .join('/')

/** The value of an access token may stand where its id does: what is neither UUID nor number is not kept. */
function idOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null) return null
  const { token, id } = { token: null, id: null, ...record }
  const found = [token, id].map(String).find((text) => isUuid(text) || /^\d{1,9}$/.test(text))
  return found ?? null
}

function fieldsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  return Object.keys(body)
    .slice(0, FIELDS_MAX)
    .map((name) => name.slice(0, FIELD_LENGTH_MAX))
}
