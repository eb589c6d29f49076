/**
 * Which role a person needs for which route: the one table. A token with the scope `management` may do all of it. The
 * longest beginning that fits counts. A route that stands under none of them is closed to all but owners; a test fails
 * for it, so that somebody decides.
 */
import type { Role } from '../model/person.ts'

/** For GET, and for everything else. */
type Needed = { read: Role; write: Role }

const NEEDED: Record<string, Needed> = {
  '/api/account': { read: 'viewer', write: 'owner' },
  '/api/accounts': { read: 'owner', write: 'owner' },
  '/api/access-tokens': { read: 'viewer', write: 'admin' },
  '/api/sources': { read: 'viewer', write: 'member' },
  '/api/sources/:token/preview': { read: 'viewer', write: 'viewer' },
  '/api/rules': { read: 'viewer', write: 'member' },
  '/api/key-values': { read: 'viewer', write: 'member' },
  '/api/endpoints': { read: 'viewer', write: 'member' },
  '/api/endpoints/query': { read: 'viewer', write: 'viewer' },
  '/api/alerts': { read: 'viewer', write: 'member' },
  '/api/backends': { read: 'viewer', write: 'admin' },
  // Asking changes nothing, also where the question is too long for an address.
  '/api/query': { read: 'viewer', write: 'viewer' },
  '/api/queries': { read: 'viewer', write: 'owner' },
  '/api/queries/running': { read: 'viewer', write: 'member' },
  '/api/system': { read: 'viewer', write: 'owner' },
  '/api/lql': { read: 'viewer', write: 'viewer' },
  // Its tools only read, and each is asked for as its caller.
  '/mcp': { read: 'viewer', write: 'viewer' },
  // What is one's own; the routes themselves look whose it is.
  '/api/session': { read: 'viewer', write: 'viewer' },
  '/api/sessions': { read: 'viewer', write: 'viewer' },
  '/api/users/:id/password': { read: 'viewer', write: 'viewer' },
  '/api/users': { read: 'viewer', write: 'admin' },
  '/api/invitations': { read: 'admin', write: 'admin' },
  '/api/teams': { read: 'viewer', write: 'owner' },
  '/api/backup': { read: 'owner', write: 'owner' },
  '/api/audit': { read: 'admin', write: 'owner' },
}

/** Null when nobody has decided yet. */
export function decidedRole(method: string, path: string): Role | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const needed = NEEDED[path.slice(0, end)]
    if (needed) return method === 'GET' ? needed.read : needed.write
  }
  return null
}

export const roleFor = (method: string, path: string): Role => decidedRole(method, path) ?? 'owner'

const ONLY_ASKS = new Set(['/api/query', '/api/sources/:token/preview', '/mcp'])

/** Whether a request changes something, and is written to the audit log. */
export const isChange = (method: string, path: string): boolean => method !== 'GET' && !ONLY_ASKS.has(path)
