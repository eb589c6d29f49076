import type { IncomingHttpHeaders } from 'node:http'
import type { Access, Identity } from '../../access/access.ts'
import { Fault } from '../../base/faults.ts'
import { isUuid } from '../../base/ids.ts'
import { isSystemSource, type Source } from '../../model/source.ts'

/** How a request says for which source its events are. */
export type SourceName = { token: string } | { name: string }

/** A name wins over a token. `collection` is the older word for a source. */
export function querySource(query: Record<string, unknown>): SourceName | null {
  const name = text(query.source_name) ?? text(query.collection_name)
  if (name !== null) return { name }
  const token = text(query.source) ?? text(query.collection)
  return token === null ? null : { token }
}

export function headerSource(headers: IncomingHttpHeaders): SourceName | null {
  const given = headers['x-source'] ?? headers['x-collection']
  if (typeof given !== 'string' || given === '') return null
  return isUuid(given) ? { token: given } : { name: given }
}

/** Refuses one that the service keeps for itself. */
export async function sourceOf(access: Access, { account }: Identity, named: SourceName | null): Promise<Source> {
  if (named === null)
    throw new Fault('bad_request', 'Say which source the events are for: ?source=<token> or ?source_name=<name>.')
  const source =
    'token' in named
      ? await access.sources.byToken(account.id, named.token.toLowerCase())
      : await access.sources.byName(account.id, named.name)
  if (!source) throw new Fault('not_found', `There is no source ${'token' in named ? named.token : named.name}.`)
  if (isSystemSource(source))
    throw new Fault('forbidden', `The source ${source.name} is written by the service alone. Name another source.`)
  return source
}

const text = (value: unknown): string | null => {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' && first !== '' ? first : null
}
