import { setTimeout as wait } from 'node:timers/promises'
import type { Access } from '../access/access.ts'
import { Fault } from '../base/faults.ts'
import { isUuid } from '../base/ids.ts'
import { type SourceName, sourceOf } from '../http/ingest/named-source.ts'
import type { Accept, Receipt } from '../ingest/accept.ts'
import type { Format, Headers } from '../ingest/formats/format.ts'
import type { Quotas } from '../ingest/quotas.ts'
import { PLANS } from '../model/plan.ts'

/** Events of one sender for one source. */
export type Parcel = {
  token: string | null
  /** Name or token of the source. */
  source: string | null
  format: Format
  body: Buffer
  headers?: Headers
}

export type Store = {
  /**
   * Resolves once the events are durable. While they cannot be taken (over quota, warehouse behind, disk full) it tries
   * again; whoever sends waits, as there is no answer that says "later". Throws what trying again cannot change.
   */
  keep(parcel: Parcel): Promise<Receipt>
  /** From now on nothing is tried twice. */
  stop(): void
}

export type StoreParts = {
  access: Access
  accept: Accept
  quotas: Quotas
  /** Throws `busy` while the warehouse is too far behind. */
  assertRoom(): void
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

const PASSING: readonly string[] = ['busy', 'unavailable', 'over_quota']

export function createStore({ access, accept, quotas, assertRoom }: StoreParts): Store {
  const stopping = new AbortController()

  async function once({ token, source: named, format, body, headers = {} }: Parcel): Promise<Receipt> {
    const identity = await access.identify(token)
    assertRoom()
    const source = await sourceOf(access, identity, nameOf(named))
    access.allow(identity, { to: 'ingest', source })
    quotas.check(source, PLANS[identity.account.plan])
    return accept({ source, format, body, headers })
  }

  return {
    async keep(parcel) {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        try {
          return await once(parcel)
        } catch (error) {
          const isPassing = error instanceof Fault && PASSING.includes(error.code)
          if (!isPassing || stopping.signal.aborted) throw error
          await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
        }
      }
    },
    stop: () => stopping.abort(),
  }
}

function nameOf(source: string | null): SourceName | null {
  if (source === null) return null
  return isUuid(source) ? { token: source } : { name: source }
}
