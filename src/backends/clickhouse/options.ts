import { z } from 'zod'
import { bothOrNeither, httpUrl, text } from '../fields.ts'

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be letters, digits and underscores')

export const Options = z
  .strictObject({
    /** The HTTP interface. */
    url: httpUrl,
    /** Put into the address when it has none. */
    port: z.int().min(1).max(65_535).optional(),
    database: name.default('default'),
    username: text.optional(),
    password: text.optional(),
    /** Tables are made on every server of it. */
    cluster: name.optional(),
    /** Replicated tables; the servers say where their replicas meet. */
    replicated: z.boolean().default(false),
    pool_size: z.int().min(1).max(4096).default(8),
  })
  .superRefine(bothOrNeither)

export type ClickhouseOptions = z.infer<typeof Options>
