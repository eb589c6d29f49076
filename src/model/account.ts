import { z } from 'zod'
import { PLAN_NAMES } from './plan.ts'
import { plainText } from './text.ts'

/** An account owns sources, tokens and key-values; accounts never see each other's. */
export const Account = z.object({
  id: z.int(),
  token: z.uuid(),
  name: z.string(),
  plan: z.enum(PLAN_NAMES),
  inserted_at: z.iso.datetime(),
})
export type Account = z.infer<typeof Account>

export const AccountRecord = Account.omit({ id: true })
export type AccountRecord = z.infer<typeof AccountRecord>

export const NewAccount = z.strictObject({
  name: z.string().trim().pipe(plainText(255)),
  plan: z.enum(PLAN_NAMES).optional(),
})
export type NewAccount = z.infer<typeof NewAccount>

export function accountRecord({ token, name, plan, inserted_at }: Account): AccountRecord {
  return { token, name, plan, inserted_at }
}
