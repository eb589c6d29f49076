import { z } from 'zod'

/** One change that somebody made, or a log-in that worked or did not: names of fields, never their values. */
export const AuditEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  by: z.enum(['user', 'token']),
  /** The e-mail of the person, or the description of the token. Of a log-in that failed, the e-mail that was given. */
  who: z.string(),
  action: z.enum(['create', 'update', 'delete', 'log in', 'fail to log in']),
  /** What the address of the request names: `sources`, `endpoints/versions/restore`. */
  kind: z.string(),
  /** UUID or number of the record. */
  record: z.string().nullable(),
  fields: z.array(z.string()),
  address: z.string(),
})
export type AuditEntry = z.infer<typeof AuditEntry>
