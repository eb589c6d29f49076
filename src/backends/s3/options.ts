import { z } from 'zod'
import { httpUrl, text } from '../fields.ts'

const MB = 1_000_000

export const Options = z.strictObject({
  s3_bucket: text.max(255).regex(/^[a-zA-Z0-9._-]+$/, 'is invalid'),
  storage_region: text.max(100).regex(/^[\w-]+$/, 'is invalid'),
  access_key_id: text,
  secret_access_key: text,
  /** Of another service than AWS that speaks S3. */
  endpoint: httpUrl.optional(),
  /** In front of every key. */
  prefix: z
    .string()
    .trim()
    .max(500)
    .regex(/^[\w!'()*./=-]*$/, "may hold letters, digits and !'()*._-=/")
    .transform((prefix) => prefix.replace(/^\/+|\/+$/g, ''))
    .default(''),
  /** The bucket in the path instead of in the name of the host; most services other than AWS want it so. */
  path_style: z.boolean().default(false),
  /** Of events as JSON, before they are made smaller. */
  batch_bytes: z
    .int()
    .min(100_000)
    .max(32 * MB)
    .default(8 * MB),
  /** How long events wait for others to share a file with, in milliseconds. */
  batch_timeout: z.int().min(1_000).max(3_600_000).default(60_000),
})

export type S3Options = z.infer<typeof Options>
