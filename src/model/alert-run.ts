/** One line of the history of an alert: a run, or runs that did not happen because nothing was running. */
import { z } from 'zod'

export const RUN_TRIGGERS = ['schedule', 'request'] as const
/** `resolved`: it fired before and does no more. */
export const RUN_OUTCOMES = ['ok', 'firing', 'resolved', 'failed', 'missed'] as const
export const CHANNELS = ['webhook', 'slack', 'email', 'backend'] as const
export const DELIVERY_STATES = ['pending', 'sent', 'failed'] as const

/** The history of an alert keeps this many runs, and none that are older. */
export const RUNS_KEPT = 1_000
export const RUNS_KEPT_DAYS = 30

export const Delivered = z.object({
  channel: z.enum(CHANNELS),
  /** Whom of the channel: an e-mail address, the token of a backend, or the host of a hook. */
  to: z.string(),
  state: z.enum(DELIVERY_STATES),
  tries: z.int(),
  /** Of the last try that failed. */
  error: z.string().nullable(),
})
export type Delivered = z.infer<typeof Delivered>

export const AlertRun = z.object({
  id: z.int(),
  /** When it was due, or asked for. */
  at: z.iso.datetime(),
  trigger: z.enum(RUN_TRIGGERS),
  outcome: z.enum(RUN_OUTCOMES),
  /** Rows that met the condition. */
  rows: z.int(),
  ms: z.int(),
  /** Nobody was told, as the alert was muted. */
  muted: z.boolean(),
  error: z.string().nullable(),
  /** Of `missed`: how many. */
  missed: z.int(),
  /** Empty when there was nothing to tell, or nobody. */
  deliveries: z.array(Delivered),
})
export type AlertRun = z.infer<typeof AlertRun>
