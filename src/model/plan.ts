/** What an account may use. Rates are events per second, averaged over a minute; `null` means no limit. */
export type Plan = {
  sourceRate: number | null
  accountRate: number | null
  retentionDaysMax: number
  keyValuesMax: number | null
  enrichment: boolean
}

export const PLAN_NAMES = ['free', 'metered', 'pro', 'self_hosted'] as const

export type PlanName = (typeof PLAN_NAMES)[number]

export const PLANS: Record<PlanName, Plan> = {
  free: { sourceRate: 5, accountRate: 10, retentionDaysMax: 7, keyValuesMax: 0, enrichment: false },
  metered: { sourceRate: 50, accountRate: 250, retentionDaysMax: 90, keyValuesMax: 0, enrichment: false },
  pro: { sourceRate: 1_000, accountRate: 5_000, retentionDaysMax: 365, keyValuesMax: 100_000, enrichment: true },
  self_hosted: { sourceRate: null, accountRate: null, retentionDaysMax: 3650, keyValuesMax: null, enrichment: true },
}
