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
    url: z
      .string()
      .trim()
      .max(4_000)
      .refine(isAddress, 'must be postgres://user:password@host:port/database')
      .refine(
        (value) => !isAddress(value) || !isForbidden(new URL(value).hostname),
        'must not target a metadata address',
      )
      .meta({
        title: 'Address',
        description: 'postgres://user:password@host:port/database, instead of the next five fields.',
      })
      .optional(),
    hostname: host.meta({ title: 'Host', description: 'A name, an address, or the folder of a socket.' }).optional(),
    port: z.int().min(1).max(65_535).meta({ title: 'Port' }).default(5432),
    database: text.optional(),
    username: text.meta({ title: 'User name' }).optional(),
    password: text.optional(),
    schema: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'must be letters, digits and underscores')
      .refine((value) => !/^pg_/i.test(value), 'must not start with pg_')
      .meta({ title: 'Schema', description: 'Where tables are made; it is made as well when it is not there.' })
      .default('public'),
    ssl: z
      .enum(['disable', 'require', 'verify'])
      .meta({ title: 'Encryption', description: 'require encrypts, verify also checks who answers.' })
      .default('disable'),
    pool_size: z.int().min(1).max(50).meta({ title: 'Connections at most' }).default(4),
  })
  .superRefine(({ url, hostname, database, username }, context) => {
    if (url !== undefined) return
    for (const [field, value] of Object.entries({ hostname, database, username }))
      if (value === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'is required when there is no url' })
  })
  .meta({
    title: 'PostgreSQL',
    description: 'A table for each source, which can also be asked in the SQL of PostgreSQL.',
  })

export type PostgresOptions = z.infer<typeof Options>
