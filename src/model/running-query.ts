import { z } from 'zod'

export const RunningQuery = z.object({
  id: z.int(),
  started_at: z.iso.datetime(),
  /** So far. */
  ms: z.int(),
  /** It is stopped after this. */
  timeout_ms: z.int(),
  /** As it was written, at most 2000 characters of it. */
  text: z.string().nullable(),
})
export type RunningQuery = z.infer<typeof RunningQuery>
