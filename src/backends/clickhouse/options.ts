import { z } from 'zod'
import { bothOrNeither, httpUrl, text } from '../fields.ts'

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be letters, digits and underscores')

export const Options = z
  .strictObject({
    url: httpUrl.meta({ title: 'Address', description: 'Of the HTTP interface.' }),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .meta({ title: 'Port', description: 'Put into the address when it has none.' })
      .optional(),
    database: name.default('default'),
    username: text.meta({ title: 'User name' }).optional(),
    password: text.optional(),
    cluster: name.meta({ title: 'Cluster', description: 'Tables are made on every server of it.' }).optional(),
    replicated: z
      .boolean()
      .meta({ title: 'Replicated tables', description: 'The servers say where their replicas meet.' })
      .default(false),
    pool_size: z.int().min(1).max(4096).meta({ title: 'Connections at most' }).default(8),
  })
  .superRefine(bothOrNeither)
  .meta({
    title: 'ClickHouse',
    description: 'A table for each source, which can also be asked in the SQL of ClickHouse.',
  })

export type ClickhouseOptions = z.infer<typeof Options>
