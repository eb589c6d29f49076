/**
 * From a decoded request to stored events: may the sender, is there quota, and for which source. The same for every way in,
 * over HTTP or not.
 */
import type { Access, Identity } from '../../access/access.ts'
import { Fault } from '../../base/faults.ts'
import type { Accept, Receipt } from '../../ingest/accept.ts'
import type { Delivery } from '../../ingest/formats/format.ts'
import type { Quotas } from '../../ingest/quotas.ts'
import { PLANS } from '../../model/plan.ts'
import type { Source } from '../../model/source.ts'
import { refusalOf } from '../errors.ts'
import { sourceOf } from './named-source.ts'
import type { Outcome } from './protocols/protocol.ts'

type Parts = { access: Access; accept: Accept; quotas: Quotas; onError(error: unknown): void }

type Visitor = {
  identity: Identity
  /** Whether a part that cannot be stored is told beside the others instead of refusing the request. */
  answersParts: boolean
  /** Gets what the sender may know of its quota, in headers. */
  tell(headers: Record<string, string>): void
}

type Sent = Omit<Delivery, 'source'>

export type Storing = {
  one(source: Source, delivery: Sent, visitor: Visitor): Promise<Receipt>
  /** A body that addresses its events itself. Unless parts are told one by one, all must have a source before any is stored. */
  parts(names: string[], delivery: Sent, visitor: Visitor): Promise<Outcome[]>
}

/** Names by which one body may address its events: each costs a pass over the body. */
const PARTS_MAX = 100

export function createStoring({ access, accept, quotas, onError }: Parts): Storing {
  async function one(source: Source, delivery: Sent, { identity, tell }: Visitor): Promise<Receipt> {
    access.allow(identity, { to: 'ingest', source })
    const limits = PLANS[identity.account.plan]
    tell(quotas.headers(source, limits))
    quotas.check(source, limits)
    const receipt = await accept({ source, ...delivery })
    tell(quotas.headers(source, limits))
    return receipt
  }

  async function parts(names: string[], delivery: Sent, visitor: Visitor): Promise<Outcome[]> {
    if (names.length > PARTS_MAX)
      throw new Fault('bad_request', `The body is for over ${PARTS_MAX} sources. Send smaller batches.`)
    const { identity, answersParts } = visitor
    const found: { part: string; source: Source | Fault }[] = []
    for (const part of names) {
      const source = await sourceOf(access, identity, part === '' ? null : { name: part }).catch((error: unknown) => {
        if (answersParts && error instanceof Fault) return error
        throw error
      })
      if (!(source instanceof Fault) && !answersParts) {
        access.allow(identity, { to: 'ingest', source })
        quotas.check(source, PLANS[identity.account.plan])
      }
      found.push({ part, source })
    }
    const outcomes: Outcome[] = []
    for (const { part, source } of found) {
      try {
        if (source instanceof Fault) throw source
        outcomes.push({ part, receipt: await one(source, { ...delivery, part }, visitor) })
      } catch (error) {
        if (!answersParts || !(error instanceof Fault)) throw error
        if (refusalOf(error).status >= 500) onError(error)
        outcomes.push({ part, fault: error })
      }
    }
    return outcomes
  }

  return { one, parts }
}
