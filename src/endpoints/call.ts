import type { Endpoint } from '../model/endpoint.ts'
import type { Values } from '../query/bind.ts'

/** One request to an endpoint, read and allowed. */
export type Call = {
  /** As it is defined now. */
  endpoint: Endpoint
  /** Asked for by number; null: the current definition. */
  version: number | null
  /** Everything the request carries by name. */
  values: Values
  /** A caller's own query, in one of two languages. */
  sql: unknown
  lql: unknown
  /** The labels header as it was sent. */
  labels: string | undefined
  /** The reservation header as it was sent. */
  reservation: string | undefined
  /** The description of the token that asked, for the log. */
  token: string | null
  /** Made only when a query has to run. */
  signal(): AbortSignal
}
