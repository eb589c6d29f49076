/** Bodies of requests as the published description of the REST interface has them; a name that it does not have is refused. */
import { z } from 'zod'

export type Column = { name: string; type: string; mode: string; fields?: Column[] }

export const Columns: z.ZodType<Column[]> = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[A-Za-z_]\w{0,299}$/),
      type: z.enum(['STRING', 'INTEGER', 'FLOAT', 'BOOLEAN', 'TIMESTAMP', 'RECORD']),
      mode: z.enum(['NULLABLE', 'REQUIRED', 'REPEATED']).default('NULLABLE'),
      get fields() {
        return Columns.optional()
      },
    }),
  )
  .transform((columns) => columns.map(({ fields, ...column }) => (fields ? { ...column, fields } : column)))

const Reference = { projectId: z.string(), datasetId: z.string() }
const Labels = z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/), z.string().regex(/^[a-z0-9_-]{0,63}$/))
const Count = z.string().regex(/^\d+$/)

export const NewDataset = z.strictObject({
  datasetReference: z.strictObject(Reference),
  location: z.string(),
  labels: Labels.optional(),
})

const Partitions = z.strictObject({ type: z.literal('DAY'), field: z.string(), expirationMs: Count.optional() })

export const NewTable = z.strictObject({
  tableReference: z.strictObject({ ...Reference, tableId: z.string() }),
  friendlyName: z.string().optional(),
  schema: z.strictObject({ fields: Columns }),
  timePartitioning: Partitions,
  clustering: z.strictObject({ fields: z.array(z.string()).max(4) }).optional(),
  labels: Labels.optional(),
})

export const TableChange = z.strictObject({
  schema: z.strictObject({ fields: Columns }).optional(),
  timePartitioning: Partitions.optional(),
})

export const Rows = z.strictObject({
  skipInvalidRows: z.boolean().default(false),
  ignoreUnknownValues: z.boolean().default(false),
  rows: z
    .array(z.strictObject({ insertId: z.string().max(128).optional(), json: z.record(z.string(), z.unknown()) }))
    .max(50_000),
})

const Scalar = z.enum([
  'STRING',
  'INT64',
  'FLOAT64',
  'BOOL',
  'TIMESTAMP',
  'DATE',
  'DATETIME',
  'TIME',
  'NUMERIC',
  'JSON',
])
const Value = z.strictObject({ value: z.string().nullable() })
export const QueryParameter = z.strictObject({
  name: z.string(),
  parameterType: z.union([
    z.strictObject({ type: Scalar }),
    z.strictObject({ type: z.literal('ARRAY'), arrayType: z.strictObject({ type: Scalar }) }),
  ]),
  parameterValue: z.union([Value, z.strictObject({ arrayValues: z.array(Value) })]),
})
export type QueryParameter = z.infer<typeof QueryParameter>

export const NewJob = z.strictObject({
  jobReference: z.strictObject({ projectId: z.string(), jobId: z.string().optional(), location: z.string() }),
  configuration: z.strictObject({
    dryRun: z.boolean().default(false),
    labels: Labels.optional(),
    jobTimeoutMs: Count.optional(),
    reservation: z
      .string()
      .regex(/^projects\/[^/]+\/locations\/[^/]+\/reservations\/[^/]+$/)
      .optional(),
    query: z.strictObject({
      query: z.string(),
      useLegacySql: z.literal(false),
      parameterMode: z.literal('NAMED').optional(),
      queryParameters: z.array(QueryParameter).default([]),
      maximumBytesBilled: Count.optional(),
    }),
  }),
})
export type NewJob = z.infer<typeof NewJob>
