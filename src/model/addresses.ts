/** Places that messages go to, as records hold them. */
import { z } from 'zod'

const EMAILS_MAX = 20

/** The address of a hook: http or https; blank text and null both mean "not set". It works like a password. */
export const hook = z
  .string()
  .trim()
  .max(2_000)
  .refine((value) => !value.includes('\0'), 'is invalid')
  .nullable()
  .transform((value) => value || null)
  .refine(
    (value) => value === null || (/^https?:\/\//i.test(value) && URL.canParse(value)),
    'must be an http or https address',
  )

export const emailAddresses = z
  .array(z.email('is not an e-mail address').max(320))
  .max(EMAILS_MAX)
  .transform((addresses) => [...new Set(addresses)])
