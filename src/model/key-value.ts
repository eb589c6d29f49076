import { z } from 'zod'
import { plainText } from './text.ts'

/** An entry of the account's key-value store, which enrichment rules look up. */
export const KeyValue = z.object({
  id: z.int(),
  key: z.string(),
  value: z.record(z.string(), z.unknown()),
})
export type KeyValue = z.infer<typeof KeyValue>

export const NewKeyValue = z.strictObject({
  key: plainText(1024),
  value: z.record(z.string(), z.unknown()).refine((value) => Object.keys(value).length > 0, "can't be blank"),
})
export type NewKeyValue = z.infer<typeof NewKeyValue>
