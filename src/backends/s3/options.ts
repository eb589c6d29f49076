import { z } from 'zod'
import { httpUrl, text } from '../fields.ts'

const MB = 1_000_000

export const Options = z
  .strictObject({
    s3_bucket: text
      .max(255)
      .regex(/^[a-zA-Z0-9._-]+$/, 'is invalid')
      .meta({ title: 'Bucket' }),
    storage_region: text
      .max(100)
      .regex(/^[\w-]+$/, 'is invalid')
      .meta({ title: 'Region', description: 'Such as eu-central-1.' }),
    access_key_id: text.meta({ title: 'Access key' }),
    secret_access_key: text.meta({ title: 'Secret access key' }),
    endpoint: httpUrl.meta({ title: 'Address', description: 'Of another service than AWS that speaks S3.' }).optional(),
    prefix: z
      .string()
      .trim()
      .max(500)
      .regex(/^[\w!'()*./=-]*$/, "may hold letters, digits and !'()*._-=/")
      .transform((prefix) => prefix.replace(/^\/+|\/+$/g, ''))
      .meta({ title: 'Prefix', description: 'In front of every key.' })
      .default(''),
    path_style: z
      .boolean()
      .meta({
        title: 'Bucket in the path',
        description: 'Instead of in the name of the host; most services other than AWS want it so.',
      })
      .default(false),
    batch_bytes: z
      .int()
      .min(100_000)
      .max(32 * MB)
      .meta({ title: 'Bytes a file', description: 'Of events as JSON, before they are made smaller.' })
      .default(8 * MB),
    batch_timeout: z
      .int()
      .min(1_000)
      .max(3_600_000)
      .meta({
        title: 'Longest wait in milliseconds',
        description: 'How long events wait for others to share a file with.',
      })
      .default(60_000),
  })
  .meta({ title: 'S3', description: 'Parquet files in a bucket of AWS, or of another service that speaks S3.' })

export type S3Options = z.infer<typeof Options>
