import { Fault } from '../base/faults.ts'

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
  | { to: 'manage' }
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

function names(targets: ReadonlySet<string>, { id, token }: { id: number; token: string }): boolean {
  return targets.size > 0 && (targets.has(token) || targets.has(String(id)))
}
