/** Who may query an endpoint; the rules stand at the head of `query.ts`. */
import { type Access, type Asker, callerName, type Identity } from '../../../access/access.ts'
import { Fault } from '../../../base/faults.ts'
import { isUuid } from '../../../base/ids.ts'
import type { Endpoint } from '../../../model/endpoint.ts'

/** The endpoint, and who asks, if it matters. */
export type Allowed = { endpoint: Endpoint; token: string | null }

export type Visitor = Asker & { name: string }

/** Throws or rejects for who may not. Synchronous when all of it is known. */
export function createAllowed(access: Access): (visitor: Visitor) => Allowed | Promise<Allowed> {
  function byToken(visitor: Visitor, endpoint: Endpoint | null): Allowed | Promise<Allowed> {
    if (!endpoint) throw noEndpoint()
    if (!endpoint.enable_auth) return { endpoint, token: null }
    const check = (identity: Identity): Allowed => {
      if (identity.account.id !== endpoint.account_id) throw noEndpoint()
      access.allow(identity, { to: 'query', endpoint })
      return { endpoint, token: callerName(identity) }
    }
    const identity = access.recognise(visitor)
    return identity instanceof Promise ? identity.then(check) : check(identity)
  }

  async function byName(visitor: Visitor): Promise<Allowed> {
    const identity = await access.recognise(visitor)
    const endpoint = await access.endpoints.byName(identity.account.id, visitor.name)
    if (!endpoint) throw noEndpoint()
    access.allow(identity, { to: 'query', endpoint })
    if (!endpoint.enable_auth)
      throw new Fault(
        'forbidden',
        'An endpoint can be queried by its name only when its authentication is enabled. Use its UUID, or set enable_auth.',
      )
    return { endpoint, token: callerName(identity) }
  }

  return (visitor) => {
    if (!isUuid(visitor.name)) return byName(visitor)
    const endpoint = access.endpoints.byToken(visitor.name)
    return endpoint instanceof Promise ? endpoint.then((found) => byToken(visitor, found)) : byToken(visitor, endpoint)
  }
}

const noEndpoint = (): Fault => new Fault('not_found', 'There is no such endpoint.')
