import { z } from 'zod'
import { isForbidden } from '../address.ts'
import { text } from '../fields.ts'

const isAddress = (value: string): boolean => /^postgres(?:ql)?:\/\//i.test(value) && URL.canParse(value)

const host = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\s@]+$/, 'is invalid')
  .refine((value) => !isForbidden(value), 'must not be a metadata address')

export const Options = z
  .strictObject({
    /** Instead of the fields that follow it. */
    url: z
      .string()
      .trim()
      .max(4_000)
      .refine(isAddress, 'must be postgres://user:password@host:port/database')
      .refine(
        (value) => !isAddress(value) || !isForbidden(new URL(value).hostname),
        'must not target a metadata address',
      )
      .optional(),
    /** A name, an address, or the folder of a socket. */
    hostname: host.optional(),
    port: z.int().min(1).max(65_535).default(5432),
    database: text.optional(),
    username: text.optional(),
    password: text.optional(),
    /** Where tables are made; it is made as well when it is not there. */
    schema: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'must be letters, digits and underscores')
      .refine((value) => !/^pg_/i.test(value), 'must not start with pg_')
      .default('public'),
    /** `require` encrypts, `verify` also checks who answers. */
    ssl: z.enum(['disable', 'require', 'verify']).default('disable'),
    pool_size: z.int().min(1).max(50).default(4),
  })
  .superRefine(({ url, hostname, database, username }, context) => {
    if (url !== undefined) return
    for (const [field, value] of Object.entries({ hostname, database, username }))
      if (value === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'is required when there is no url' })
  })

export type PostgresOptions = z.infer<typeof Options>
