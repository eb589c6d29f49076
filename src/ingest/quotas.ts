/**
 * Quotas count events over the last 60 seconds, per source and per account. A request is let in while there is anything
 * left, and counted afterwards. Plans without a limit (self-hosted) get no headers: there is nothing to tell.
 */
import { Fault } from '../base/faults.ts'
import type { Rates } from './rates.ts'

const WINDOW_S = 60

export const accountKey = (accountId: number): string => `account ${accountId}`

/** Events per second; null means no limit. */
export type QuotaLimits = { sourceRate: number | null; accountRate: number | null }

export type Quotas = {
  /** Throws `over_quota` when nothing is left. */
  check(source: { token: string; account_id: number }, limits: QuotaLimits): void
  headers(source: { token: string; account_id: number }, limits: QuotaLimits): Record<string, string>
}

export function createQuotas({ rates }: { rates: Rates }): Quotas {
  const left = (key: string, rate: number): number => Math.max(0, rate * WINDOW_S - rates.of(key).lastMinute())

  return {
    check(source, { sourceRate, accountRate }) {
      if (sourceRate !== null && left(source.token, sourceRate) === 0) throw overQuota('source', sourceRate)
      if (accountRate !== null && left(accountKey(source.account_id), accountRate) === 0)
        throw overQuota('account', accountRate)
    },
    headers(source, { sourceRate, accountRate }) {
      const headers: Record<string, string> = {}
      const add = (name: string, key: string, rate: number | null): void => {
        if (rate === null) return
        headers[`x-rate-limit-${name}_limit`] = String(rate * WINDOW_S)
        headers[`x-rate-limit-${name}_remaining`] = String(left(key, rate))
      }
      add('source', source.token, sourceRate)
      add('user', accountKey(source.account_id), accountRate)
      return headers
    },
  }
}

const overQuota = (of: string, rate: number): Fault =>
  new Fault(
    'over_quota',
    `This ${of} is over its quota of ${rate * WINDOW_S} events in ${WINDOW_S} s. Send the events again later.`,
  )
