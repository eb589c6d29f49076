import { Fault } from '../base/faults.ts'
import { covers, type Role } from '../model/person.ts'

/** The scopes of a token, ready to be asked. */
export type Scopes = {
  management: boolean
  ingest: boolean
  query: boolean
  /** Tokens or ids of single sources and endpoints. */
  sources: ReadonlySet<string>
  endpoints: ReadonlySet<string>
}

/** What a request needs. */
export type Need =
  | { to: 'manage'; role: Role }
  | { to: 'ingest'; source: { id: number; token: string } }
  | { to: 'query'; endpoint: { id: number; token: string } }

export function readScopes(text: string): Scopes {
  const words = text.split(' ')
  const targets = (prefix: string): Set<string> =>
    new Set(words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length)))
  return {
    management: words.includes('management'),
    ingest: words.includes('ingest'),
    query: words.includes('query'),
    sources: targets('ingest:source:'),
    endpoints: targets('query:endpoint:'),
  }
}

/** Throws `forbidden`, naming the scope, when the scopes do not cover the need. */
export function allow(scopes: Scopes, need: Need): void {
  if (scopes.management) return
  switch (need.to) {
    case 'manage':
      throw new Fault('forbidden', 'This needs a token with the scope management.')
    case 'ingest':
      if (scopes.ingest || names(scopes.sources, need.source)) return
      throw new Fault('forbidden', `This needs a token with the scope ingest or ingest:source:${need.source.token}.`)
    case 'query':
      if (scopes.query || names(scopes.endpoints, need.endpoint)) return
      throw new Fault('forbidden', `This needs a token with the scope query or query:endpoint:${need.endpoint.token}.`)
  }
}

/** The same for people: queries are open to every role, sending events to none. */
export function allowPerson(role: Role, need: Need): void {
  if (need.to === 'ingest') throw new Fault('forbidden', 'Events are sent with a token, not with a session.')
  if (need.to === 'manage' && !covers(role, need.role))
    throw new Fault('forbidden', `This needs the role ${need.role}; yours is ${role}.`)
}

function names(targets: ReadonlySet<string>, { id, token }: { id: number; token: string }): boolean {
  return targets.size > 0 && (targets.has(token) || targets.has(String(id)))
}
