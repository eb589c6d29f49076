import { z } from 'zod'
import { plainText } from './text.ts'

/** A search that was kept under a name, for all who work with its source. `lql` is canonical. */
export const SavedSearch = z.object({
  id: z.int(),
  name: z.string(),
  lql: z.string(),
  /** Shown as it goes on, rather than as a list. */
  tailing: z.boolean(),
})
export type SavedSearch = z.infer<typeof SavedSearch>

export const NewSavedSearch = z.strictObject({
  /** The search itself when none is given. */
  name: z.string().trim().pipe(plainText(255)).optional(),
  lql: z.string().refine((text) => !text.includes('\0'), 'is invalid'),
  tailing: z.boolean().optional(),
})
export type NewSavedSearch = z.infer<typeof NewSavedSearch>
