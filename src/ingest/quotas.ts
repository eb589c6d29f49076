import { Fault } from '../base/faults.ts'
import type { Rates } from './rates.ts'

/** Events a second that a plan allows; null is no limit. Counted over 60 s, so short bursts pass. */
export type Quota = { source: number | null; account: number | null }

/**
 * Quotas of sources and accounts. A request is let in while anything of the quota remains, and its events count when
 * they are stored. Without a limit there are no headers: a number would invite senders to steer by it.
 */
export type Quotas = {
  /** The rate-limit headers of the answer; throws `over_quota` when nothing remains. */
  check(source: string, account: string, quota: Quota): Record<string, string>
  /** Sources are counted by `accept`; this adds to their account. */
  count(account: string, events: number): void
}

const WINDOW_SECONDS = 60

export function createQuotas({ rates }: { rates: Rates }): Quotas {
  const accountRate = (account: string) => rates.of(`account ${account}`)

  return {
    check(source, account, quota) {
      const headers: Record<string, string> = {}
      const left = [
        add(headers, 'user', quota.account, accountRate(account).lastMinute()),
        add(headers, 'source', quota.source, rates.of(source).lastMinute()),
      ]
      if (left[0]! <= 0) throw overQuota('account', headers)
      if (left[1]! <= 0) throw overQuota('source', headers)
      return headers
    },
    count: (account, events) => accountRate(account).count(events),
  }
}

function add(headers: Record<string, string>, name: string, perSecond: number | null, used: number): number {
  if (perSecond === null) return Number.POSITIVE_INFINITY
  const limit = perSecond * WINDOW_SECONDS
  const remaining = Math.max(0, limit - used)
  headers[`x-rate-limit-${name}_limit`] = String(limit)
  headers[`x-rate-limit-${name}_remaining`] = String(remaining)
  return remaining
}

/** The headers travel in the notes, so that the refusal carries them too. */
function overQuota(owner: string, headers: Record<string, string>): Fault {
  return new Fault(
    'over_quota',
    `The ${owner} is over its quota of events per minute. Send slower, or raise the plan.`,
    {
      headers,
    },
  )
}
