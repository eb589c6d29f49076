import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { httpUrl } from '../fields.ts'

/** `my-project`, or `example.com:my-project` as older ones are called. */
const PROJECT = /^(?:[a-z0-9][a-z0-9.-]{0,61}[a-z0-9]:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/

const project = z.string().trim().regex(PROJECT, 'must be the id of a project: lower-case letters, digits and hyphens')

const projects = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== '')

export const MEBIBYTE = 1_048_576

export type Credentials = { client_email: string; private_key: string }

/** Only these two are used, so a key that names other addresses leads nowhere. */
export function readCredentials(text: string): Credentials | string {
  let key: unknown
  try {
    key = JSON.parse(text)
  } catch {
    return 'is not JSON: paste the whole key file of a service account'
  }
  if (typeof key !== 'object' || key === null || !('client_email' in key) || !('private_key' in key))
    return 'is not the key of a service account: it has no client_email and private_key'
  const { client_email, private_key } = key
  if (typeof client_email !== 'string' || typeof private_key !== 'string')
    return 'is not the key of a service account: client_email and private_key must be texts'
  try {
    createPrivateKey(private_key)
  } catch {
    return 'has a private_key that cannot be read: paste the key file as it was downloaded'
  }
  return { client_email, private_key }
}

export const Options = z
  .strictObject({
    project_id: project.meta({ title: 'Project', description: 'Where tables are made and queries are billed.' }),
    dataset_id: z
      .string()
      .trim()
      .regex(/^\w{1,1024}$/, 'must be letters, digits and underscores')
      .meta({ title: 'Dataset', description: 'It is made when it is not there.' })
      .default('millrace_logs'),
    location: z
      .string()
      .trim()
      .regex(/^[A-Za-z][A-Za-z0-9-]{1,62}$/, 'must be a location such as US, EU or europe-west3')
      .meta({ title: 'Location', description: 'Of the dataset: US, EU, europe-west3 … It cannot be changed later.' })
      .default('US'),
    credentials: z
      .preprocess(
        (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value),
        z.string().trim().max(20_000),
      )
      .superRefine((text, context) => {
        const read = readCredentials(text)
        if (typeof read === 'string') context.addIssue({ code: 'custom', message: read })
      })
      .meta({
        title: 'Key of a service account',
        description: 'The JSON file. Without it, the identity is used that the machine has in its cloud.',
        lines: true,
      })
      .optional(),
    api_endpoint: httpUrl
      .meta({ title: 'Address', description: 'Instead of that of Google: a private one, or an emulator.' })
      .optional(),
    additional_projects: z
      .string()
      .trim()
      .max(4_000)
      .refine((text) => projects(text).every((each) => PROJECT.test(each)), 'must be ids of projects')
      .meta({
        title: 'Additional projects',
        description: 'Whose reservations queries may run in; commas between them.',
      })
      .optional(),
    max_query_bytes: z
      .int()
      .min(10 * MEBIBYTE)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({ title: 'Bytes a query may read', description: 'One that would read more is refused before it runs.' })
      .default(1_000_000_000_000),
    batch_rows: z.int().min(1).max(50_000).meta({ title: 'Events in a request at most' }).default(500),
    batch_bytes: z
      .int()
      .min(10_000)
      .max(9_000_000)
      .meta({ title: 'Bytes in a request at most', description: 'BigQuery takes 10 MB.' })
      .default(5_000_000),
  })
  .meta({
    title: 'BigQuery',
    description: 'A table for each source, which can also be asked in warehouse SQL.',
  })

export type BigqueryOptions = z.infer<typeof Options>

export const additionalProjects = ({ additional_projects = '' }: BigqueryOptions): string[] =>
  projects(additional_projects)
