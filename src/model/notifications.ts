/**
 * What a source tells about itself, and whom. All of it is one object of the source record; leaving a field out means
 * its default. The last group are fields that tools written for earlier services send: kept, and without effect.
 */
import { z } from 'zod'
import { emailAddresses, hook } from './addresses.ts'
import { plainText } from './text.ts'

export const PATTERNS_MAX = 10
export const WINDOW_MINUTES_MAX = 60

export const Pattern = z.strictObject({
  /** Told apart by it. */
  name: z.string().trim().pipe(plainText(100)),
  lql: z.string().trim().pipe(plainText(4_000)),
  /** Told when this many events match within the window. */
  threshold: z.int().min(1).max(1_000_000_000).default(1),
  window_minutes: z.int().min(1).max(WINDOW_MINUTES_MAX).default(10),
})
export type Pattern = z.infer<typeof Pattern>

const ids = z.array(z.union([z.string().max(100), z.int()])).max(1_000)

export const Notifications = z.strictObject({
  emails: emailAddresses.default([]),
  webhook_url: hook.default(null),
  slack_hook_url: hook.default(null),
  /** New fields, and fields that widened. */
  schema_changes: z.boolean().default(false),
  /** Events that were rejected, and backends that do not take what they are sent. */
  errors: z.boolean().default(false),
  patterns: z
    .array(Pattern)
    .max(PATTERNS_MAX)
    .refine((patterns) => new Set(patterns.map(({ name }) => name)).size === patterns.length, 'have the same name')
    .default([]),
  /** Least minutes from one message to the next of the same kind; what happens meanwhile is counted. */
  every_minutes: z.int().min(1).max(1_440).default(10),

  team_user_ids_for_email: ids.optional(),
  team_user_ids_for_sms: ids.optional(),
  team_user_ids_for_schema_updates: ids.optional(),
  other_email_notifications: z.string().max(4_000).nullish(),
  user_email_notifications: z.boolean().optional(),
  user_text_notifications: z.boolean().optional(),
  user_schema_update_notifications: z.boolean().optional(),
})
export type Notifications = z.infer<typeof Notifications>

/** What was stored before all of it was checked may not hold; then nobody is told anything. */
export function storedNotifications(value: unknown): Notifications | null {
  const read = Notifications.safeParse(value)
  return read.success ? read.data : null
}
