/** What the load process is told and what it answers; both cross a process border as plain data. */
import type { Form } from './forms.ts'

export type LoadJob = {
  host: string
  port: number
  /** With query string. */
  path: string
  token: string
  connections: number
  eventsPerRequest: number
  /** Events come from a file, one a line; `firstId` gives them ids of their own, counted up from it. */
  file: string
  firstId?: number
  /** How a request carries them; a batch of JSON when not said. */
  form?: Form
  /** Instead of sending events: GET the path so many times. */
  gets?: number
  /** The process tree to end with SIGKILL in the same moment as the last answer arrives. */
  killAtEnd?: number
}

export type LoadResult = {
  seconds: number
  requests: number
  events: number
  bytes: number
  /** Requests that were not answered with success, with the first such answer. */
  refused: number
  refusal: string | null
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** CPU the load process itself used while the clock ran: what the measured service did not get. */
  cpuSeconds: number
}

export type ToWorker = { kind: 'prepare'; job: LoadJob } | { kind: 'go' }
export type FromWorker =
  | { kind: 'prepared' }
  | { kind: 'done'; result: LoadResult }
  | { kind: 'failed'; reason: string }
