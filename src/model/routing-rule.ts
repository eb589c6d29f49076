/**
 * A routing rule: events of one source that its LQL is true of are copied to another source, the sink.
 *
 * Callers name the source by its token (`source`) or its number (`source_id`). Rules of earlier services held a regular
 * expression (`regex`); it is turned into the LQL that means the same.
 */
import { z } from 'zod'

const LQL_LENGTH_MAX = 10_000

const settings = {
  source: z.uuid().toLowerCase().optional(),
  source_id: z.int().optional(),
  lql_string: z.string().trim().max(LQL_LENGTH_MAX).nullish(),
  regex: z.string().max(LQL_LENGTH_MAX).nullish(),
  regex_string: z.string().max(LQL_LENGTH_MAX).nullish(),
  sink: z.uuid().toLowerCase().nullish(),
  backend_id: z.int().nullish(),
}

/** Read-only fields are ignored, so that a record that was read can be sent back. */
const ignored = z.unknown().optional()

/** What may be sent, for a new rule or to change one. */
export const RuleChanges = z
  .strictObject({ ...settings, id: ignored, token: ignored })
  .transform(({ id, token, regex, regex_string, lql_string, ...rest }) => {
    const pattern = regex || regex_string
    return { ...rest, lql_string: lql_string || !pattern ? lql_string : lqlOfRegex(pattern) }
  })
export type RuleChanges = z.infer<typeof RuleChanges>

const lqlOfRegex = (pattern: string): string => `~"${pattern.replace(/["\\]/g, '\\$&')}"`

export const RuleRecord = z.object({
  id: z.int(),
  token: z.uuid(),
  source_id: z.int(),
  source: z.uuid(),
  lql_string: z.string(),
  sink: z.uuid().nullable(),
  backend_id: z.int().nullable(),
})
export type RuleRecord = z.infer<typeof RuleRecord>

/** A rule that was checked: its source and its target exist and belong to the account. */
export type RuleSettings = { source_id: number; lql_string: string; sink_id: number | null; backend_id: number | null }
